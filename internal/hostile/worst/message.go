package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime"
)

// A message is a request with a description of its params.
type message struct {
	Method string `json:"method"`
	Params value  `json:"params"`
	Size   int    `json:"size"` // see [value]
}

// requestID is the id of every measured request.
const requestID = "7"

// The limits for messages.
var limits = runtime.Internal(private.Key{}).Limits(runtime.Limits{})

// Limits of package runtime that cannot be set.
const (
	maxDepth  = 256
	maxValues = 400_000
)

// append appends the text of m without a line break.
func (m *message) append(dst []byte) []byte {
	dst = append(dst, m.head()...)
	return append(m.Params.append(dst, m.Size, 0), '}')
}

// head returns the text before the params.
func (m *message) head() string {
	return `{"jsonrpc":"2.0","id":` + requestID + `,"method":"` + m.Method + `","params":`
}

// extent returns the extent of m at a size.
func (m *message) extent(size int) extent {
	e := m.Params.extent(size, 1)
	e.bytes += len(m.head()) + 1
	e.values += 4
	e.depth++
	return e
}

// within reports whether m is within the limits at a size, and has at most a number of bytes.
func (m *message) within(size, most int) bool {
	e := m.extent(size)
	return e.bytes <= most && e.values <= maxValues && e.depth <= maxDepth
}

// largest returns the largest size at which m is within the limits and has at most a number of bytes; 0 if there is
// none.
func (m *message) largest(most int) int {
	return sort.Search(limits.MaxMessageBytes, func(i int) bool { return !m.within(i+1, most) })
}

// at returns m at another size.
func (m *message) at(size int) *message {
	resized := *m
	resized.Size = max(size, 1)
	return &resized
}

// grows reports whether m has more bytes at a larger size.
func (m *message) grows() bool { return m.extent(2).bytes > m.extent(1).bytes }

// clone returns a deep copy of m.
func (m *message) clone() *message {
	return &message{Method: m.Method, Params: m.Params.clone(), Size: m.Size}
}

// call returns a call of the tool with these arguments.
func call(arguments value) *message {
	return &message{Method: "tools/call", Params: object(one("name", raw(`"`+toolName+`"`)), one("arguments", arguments)), Size: 1}
}

// String describes the params, with a count after repeated parts, and n for the size.
func (m *message) String() string {
	v := &m.Params
	if m.Method == "tools/call" {
		for i := range v.Parts {
			if v.Parts[i].Name == textOf("arguments") {
				v = &v.Parts[i].Value
				break
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s n=%d ", m.Method, m.Size)
	v.describe(&b)
	return shorten(b.String(), 400)
}

func (v *value) describe(b *strings.Builder) {
	switch v.Kind {
	case stringKind:
		b.WriteByte('"')
		v.Text.describe(b)
		b.WriteByte('"')
	case arrayKind, objectKind:
		open, closed := "[", "]"
		if v.Kind == objectKind {
			open, closed = "{", "}"
		}
		b.WriteString(open)
		for i := range v.Parts {
			if i > 0 {
				b.WriteString(", ")
			}
			p := &v.Parts[i]
			if v.Kind == objectKind {
				b.WriteByte('"')
				p.Name.describe(b)
				b.WriteString(`":`)
			}
			p.Value.describe(b)
			describeCount(b, p.Times, p.Grows)
		}
		b.WriteString(closed)
	case nestKind:
		fmt.Fprintf(b, "(%s", shorten(v.Text.Unit, 60))
		describeCount(b, v.Text.Times, v.Text.Grows)
		b.WriteByte(' ')
		v.Parts[0].Value.describe(b)
		b.WriteByte(')')
	default:
		v.Text.describe(b)
	}
}

func (t *text) describe(b *strings.Builder) {
	b.WriteString(shorten(t.Head, 60))
	if t.Times > 0 && t.Unit != "" {
		fmt.Fprintf(b, "(%s)", shorten(t.Unit, 60))
		describeCount(b, t.Times, t.Grows)
	}
	b.WriteString(shorten(t.Tail, 60))
	if t.Numbered {
		b.WriteString("#")
	}
}

// describeCount writes a count, unless it is one.
func describeCount(b *strings.Builder, count int, grows bool) {
	switch {
	case grows && count == 1:
		b.WriteString("×n")
	case grows:
		fmt.Fprintf(b, "×%dn", count)
	case count != 1:
		fmt.Fprintf(b, "×%d", count)
	}
}

// shorten truncates s to a number of bytes.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// valid reports whether text is JSON within the limits.
func valid(text []byte) bool {
	return len(text) <= limits.MaxMessageBytes && rawjson.Valid(text, maxDepth) == nil && !rawjson.ValuesExceed(text, maxValues)
}
