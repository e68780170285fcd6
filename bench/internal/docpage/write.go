package docpage

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/bench/internal/terminal"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// compact formats a value on one line.
func compact(v *jsondoc.Value) string {
	var b strings.Builder
	write(&b, v, -1)
	return b.String()
}

// pretty formats a value on several lines, with short lists and objects on one line.
func pretty(v *jsondoc.Value) string {
	var b strings.Builder
	write(&b, v, 0)
	return b.String()
}

// maxOneLine is the maximum size of a value on one line in pretty, in bytes.
const maxOneLine = 60

// write writes a value at an indentation depth, or on one line if depth is negative.
func write(b *strings.Builder, v *jsondoc.Value, depth int) {
	switch {
	case v.Kind == jsontext.KindString:
		b.WriteString(quote(v.Text()))
		return
	case !v.IsObject() && !v.IsArray():
		b.Write(v.Raw)
		return
	}
	inner := depth + 1
	if depth < 0 || flat(v) {
		inner = -1
	}
	b.WriteByte(byte(v.Kind))
	for i, item := range v.Items {
		breakLine(b, i == 0, inner)
		write(b, item, inner)
	}
	for i, m := range v.Members {
		breakLine(b, i == 0, inner)
		b.WriteString(quote(m.Name))
		b.WriteString(": ")
		write(b, m.Value, inner)
	}
	if inner >= 0 && len(v.Items)+len(v.Members) > 0 {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", depth))
	}
	b.WriteByte(byte(v.Kind) + 2) // } follows { by two in ASCII, and ] follows [
}

// breakLine starts the line of the next element.
func breakLine(b *strings.Builder, first bool, depth int) {
	switch {
	case depth < 0 && first:
	case depth < 0:
		b.WriteString(", ")
	case first:
		b.WriteByte('\n')
		b.WriteString(strings.Repeat("  ", depth))
	default:
		b.WriteString(",\n")
		b.WriteString(strings.Repeat("  ", depth))
	}
}

// flat reports whether a value has no nested values and fits on one line.
func flat(v *jsondoc.Value) bool {
	size := 0
	isFlat := func(v *jsondoc.Value) bool {
		size += len(scalarText(v)) + 4
		return !v.IsObject() && !v.IsArray()
	}
	for _, item := range v.Items {
		if !isFlat(item) {
			return false
		}
	}
	for _, m := range v.Members {
		size += len(m.Name) + 4
		if !isFlat(m.Value) {
			return false
		}
	}
	return size <= maxOneLine
}

// scalarText returns the text of a string, or the JSON of another scalar.
func scalarText(v *jsondoc.Value) string {
	if v.Kind == jsontext.KindString {
		return v.Text()
	}
	return string(v.Raw)
}

// quote encodes text as a JSON string, with invisible characters escaped.
func quote(text string) string { return string(terminal.JSON(jsondoc.AppendString(nil, text))) }
