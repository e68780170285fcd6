package docpage

import (
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// compact formats a value on one line.
func compact(v *jsondoc.Value) string { return format(v, "", true) }

// pretty formats a value on several lines, with short lists and objects on one line.
func pretty(v *jsondoc.Value) string { return format(v, "", false) }

// maxOneLine is the maximum size of a list or an object without nested ones on one line in pretty, in bytes.
const maxOneLine = 60

// format formats a value whose line has the given indentation.
func format(v *jsondoc.Value, indent string, oneLine bool) string {
	switch {
	case v.Kind == rawjson.String:
		return quote(v.Text())
	case !v.IsObject() && !v.IsArray():
		return string(v.Raw)
	}
	inner := indent + "  "
	var parts []string
	isFlat := true
	add := func(label string, part *jsondoc.Value) {
		parts = append(parts, label+format(part, inner, oneLine))
		isFlat = isFlat && !part.IsObject() && !part.IsArray()
	}
	for _, item := range v.Items {
		add("", item)
	}
	for _, m := range v.Members {
		add(quote(m.Name)+": ", m.Value)
	}
	first, last := string(rune(v.Kind)), string(rune(v.Kind+2)) // } follows { by two in ASCII, and ] follows [
	line := first + strings.Join(parts, ", ") + last
	if oneLine || isFlat && len(line) <= maxOneLine {
		return line
	}
	return first + "\n" + inner + strings.Join(parts, ",\n"+inner) + "\n" + indent + last
}

// scalarText returns the text of a string, or the JSON of another scalar.
func scalarText(v *jsondoc.Value) string {
	if v.Kind == rawjson.String {
		return v.Text()
	}
	return string(v.Raw)
}

// quote encodes text as a JSON string, with invisible characters escaped.
func quote(text string) string { return string(terminal.JSON(jsondoc.AppendString(nil, text))) }
