package reflectschema

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits on how much of a path people and models are shown. They bound the
// text, never the data.
const (
	maxShownName  = 40   // runes of one member name
	maxShownSteps = 12   // steps of one dotted path
	maxPointer    = 4096 // bytes of a JSON pointer; a longer one is left out
)

// step is one move from a JSON value to one of its parts.
type step struct {
	name  string
	index int // for an element of an array; -1 for a member
}

// path is where in a value we are. It is built by appending on entering a
// part and truncating on leaving it, so a name can hold any character.
type path []step

func (p path) member(name string) path { return append(p, step{name: name, index: -1}) }

func (p path) element(i int) path { return append(p, step{index: i}) }

// pointer returns p as an RFC 6901 JSON pointer.
func (p path) pointer() string {
	size := 0
	for _, s := range p {
		size += len(s.name) + len("/00")
	}
	if size > maxPointer {
		return ""
	}
	var b strings.Builder
	b.Grow(size)
	for _, s := range p {
		b.WriteByte('/')
		if s.index >= 0 {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		_, _ = pointerEscaper.WriteString(&b, s.name) // a Builder never fails
	}
	return b.String()
}

var pointerEscaper = strings.NewReplacer("~", "~0", "/", "~1")

// dotted returns p as people write it: items[2].qty. Names that would not
// read well that way are quoted: labels["a.b"]. A long path keeps its ends.
func (p path) dotted() string {
	var b strings.Builder
	for i, s := range p {
		if len(p) > maxShownSteps && i >= maxShownSteps/2 && i < len(p)-maxShownSteps/2 {
			if i == maxShownSteps/2 {
				b.WriteString("…")
			}
			continue
		}
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case isPlainName(s.name):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.name)
		default:
			b.WriteString("[" + quoteShort(s.name, maxShownName) + "]")
		}
	}
	return b.String()
}

// isPlainName reports whether name can stand in a dotted path unquoted.
func isPlainName(name string) bool {
	if name == "" || len(name) > maxShownName {
		return false
	}
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', c == '_', c == '$':
		case i > 0 && ('0' <= c && c <= '9' || c == '-'):
		default:
			return false
		}
	}
	return true
}

// locate follows the tokens of a JSON pointer through v. It returns them as a
// path, which knows indices from names, and the value found there, nil where
// there is none.
func locate(v any, tokens []string) (path, any) {
	p := make(path, 0, len(tokens))
	for _, token := range tokens {
		switch parent := v.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return p.member(token), nil
			}
			p, v = p.element(i), parent[i]
		case map[string]any:
			p, v = p.member(token), parent[token]
		default:
			p, v = p.member(token), nil
		}
	}
	return p, v
}

// clip cuts s after n runes and says so with an ellipsis.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	i := 0
	for range n {
		_, size := utf8.DecodeRuneInString(s[i:])
		if i += size; i >= len(s) {
			return s
		}
	}
	return s[:i] + "…"
}
