package reflectschema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Limits on how much of a path people and models are shown. They bound the
// text, never the data.
const (
	maxShownName  = 40 // runes of one member name
	maxShownSteps = 12 // steps of one dotted path
)

// dotted returns p as people write it: items[2].qty. Names that would not
// read well that way are quoted: labels["a.b"]. A long path keeps its ends.
func dotted(p jsondoc.Path) string {
	var b strings.Builder
	for i, s := range p {
		if len(p) > maxShownSteps && i >= maxShownSteps/2 && i < len(p)-maxShownSteps/2 {
			if i == maxShownSteps/2 {
				b.WriteString("…")
			}
			continue
		}
		switch {
		case s.Index >= 0:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case isPlainName(s.Name):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		default:
			b.WriteString("[" + quoteShort(s.Name, maxShownName) + "]")
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
func locate(v any, tokens []string) (jsondoc.Path, any) {
	p := make(jsondoc.Path, 0, len(tokens))
	for _, token := range tokens {
		switch parent := v.(type) {
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return p.Member(token), nil
			}
			p, v = p.Element(i), parent[i]
		case map[string]any:
			p, v = p.Member(token), parent[token]
		default:
			p, v = p.Member(token), nil
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
