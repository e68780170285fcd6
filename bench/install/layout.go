package install

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// A member is one of an object to be written; its value is a string, a []string, a []member, or in formats other than
// JSON a bool.
type member struct {
	name  string
	value any
}

// A layout is how objects are written at one place of a document.
type layout struct {
	inline  bool
	newline string
	unit    string // one step of indentation
	indent  string // of the members
	colon   string // what is behind a colon, and behind a comma within a line
	comma   string // what is before a member that is not the first, within a line
}

// layoutOf returns how the members of an object are written, whose own indentation is given.
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

// inner returns the layout of an object that is the value of a member.
func (l layout) inner() layout {
	l.indent += l.unit
	return l
}

// before returns what stands before a member.
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

// member returns a new one.
func (l layout) member(m member, first bool) hujson.ObjectMember {
	return hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: l.before(first), Value: hujson.String(m.name)},
		Value: hujson.Value{BeforeExtra: hujson.Extra(l.colon), Value: l.inner().value(m.value)},
	}
}

// value returns a value in the layout of the object that it may be.
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
		return hujson.Literal("null") // never: there are no others
	}
}

// newline returns how the lines of the document end.
func (d *document) newline() string {
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// broken reports whether the document has more than one line, or has nothing in it that could show it.
func (d *document) broken() bool {
	root, ok := d.value.Value.(*hujson.Object)
	return !ok || len(root.Members) == 0 || bytes.ContainsRune(bytes.TrimSpace(d.text), '\n')
}

// unit returns a step of indentation: that of the first member on a line of its own.
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

// colon returns what the document has behind a colon.
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

// isBlank reports whether there is nothing but blanks and tabs, if anything.
func isBlank(e hujson.Extra) bool { return len(bytes.Trim(e, " \t")) == 0 }

// indentation returns the blanks and tabs that the last line of an extra begins with.
func indentation(e hujson.Extra) string {
	line := e[bytes.LastIndexByte(e, '\n')+1:]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
