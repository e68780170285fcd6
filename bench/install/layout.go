package install

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// A member is a member to be written. Its value is a string, a []string, a []member, or in formats other than JSON a
// bool.
type member struct {
	name  string
	value any
}

// A layout is the style of objects at one location in a document.
type layout struct {
	inline  bool
	newline string
	unit    string // one level of indentation
	indent  string // indentation of the members
	colon   string // text after a colon, and after a comma in an array
	comma   string // text before each further member on the same line
}

// layoutOf returns the style of the members of an object; outer is the indentation of the object.
func (d *document) layoutOf(object *hujson.Object, outer string) layout {
	l := layout{newline: d.newline(), unit: d.unit(), colon: d.colon()}
	l.indent = outer + l.unit
	spaced := false
	broken := hasNewline(object.AfterExtra)
	for i, m := range object.Members {
		if hasNewline(m.Name.BeforeExtra) {
			broken = true
			l.indent = indentation(m.Name.BeforeExtra)
		} else if i > 0 && isBlank(m.Name.BeforeExtra) {
			l.comma, spaced = string(m.Name.BeforeExtra), true
		}
		if isBlank(m.Value.BeforeExtra) {
			l.colon = string(m.Value.BeforeExtra)
		}
	}
	if !spaced {
		l.comma = l.colon
	}
	if len(object.Members) == 0 && !broken {
		broken = d.broken()
	}
	l.inline = !broken
	return l
}

// inner returns the layout of an object nested in a member.
func (l layout) inner() layout {
	l.indent += l.unit
	return l
}

// before returns the text before a member.
func (l layout) before(first bool) hujson.Extra {
	switch {
	case !l.inline:
		return hujson.Extra(l.newline + l.indent)
	case first:
		return nil
	default:
		return hujson.Extra(l.comma)
	}
}

// member returns a new member.
func (l layout) member(m member, first bool) hujson.ObjectMember {
	return hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: l.before(first), Value: hujson.String(m.name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(l.colon), Value: l.inner().value(m.value)},
	}
}

// value returns a value, in the given layout if it is an object.
func (l layout) value(v any) hujson.ValueTrimmed {
	switch v := v.(type) {
	case string:
		return hujson.String(v)
	case []string:
		array := &hujson.Array{}
		for i, s := range v {
			element := hujson.Value{Value: hujson.String(s)}
			if i > 0 {
				element.BeforeExtra = hujson.Extra(l.colon)
			}
			array.Elements = append(array.Elements, element)
		}
		return array
	case []member:
		object := &hujson.Object{}
		for i, m := range v {
			object.Members = append(object.Members, l.member(m, i == 0))
		}
		if !l.inline && len(v) > 0 {
			object.AfterExtra = hujson.Extra(l.newline + l.indent[:max(len(l.indent)-len(l.unit), 0)])
		}
		return object
	default:
		return hujson.Literal("null") // cannot happen: there are no other types
	}
}

// newline returns the line ending of the document.
func (d *document) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// broken reports whether the document has several lines, or no members that show its style.
func (d *document) broken() bool {
	root, ok := d.value.Value.(*hujson.Object)
	return !ok || len(root.Members) == 0 || bytes.ContainsRune(bytes.TrimSpace(d.text), '\n')
}

// unit returns one level of indentation, taken from the first root member that starts a line.
func (d *document) unit() string {
	if root, ok := d.value.Value.(*hujson.Object); ok {
		for _, m := range root.Members {
			if hasNewline(m.Name.BeforeExtra) {
				if unit := indentation(m.Name.BeforeExtra); unit != "" {
					return unit
				}
			}
		}
	}
	return "  "
}

// colon returns the text after a colon in the document.
func (d *document) colon() string {
	if root, ok := d.value.Value.(*hujson.Object); ok {
		for _, m := range root.Members {
			if isBlank(m.Value.BeforeExtra) {
				return string(m.Value.BeforeExtra)
			}
		}
	}
	return " "
}

func hasNewline(e hujson.Extra) bool { return bytes.IndexByte(e, '\n') >= 0 }

// isBlank reports whether an extra is empty or consists of blanks and tabs.
func isBlank(e hujson.Extra) bool { return len(bytes.Trim(e, " \t")) == 0 }

// indentation returns the leading blanks and tabs of the last line of an extra.
func indentation(e hujson.Extra) string {
	line := e[bytes.LastIndexByte(e, '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
