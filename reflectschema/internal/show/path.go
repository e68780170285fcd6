package show

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Limits of texts for people and models. They do not limit the data.
const (
	MaxText  = 60 // runes of a value
	MaxName  = 40 // runes of one member name
	MaxSteps = 12 // steps of one dotted path
)

// Path returns p in the usual notation: items[2].qty. Names with other
// characters are quoted: labels["a.b"]. The middle of a long path is replaced
// by an ellipsis.
func Path(p jsondoc.Path) string {
	var b strings.Builder
	for i, s := range p {
		if len(p) > MaxSteps && i >= MaxSteps/2 && i < len(p)-MaxSteps/2 {
			if i == MaxSteps/2 {
				b.WriteString("…")
			}
			continue
		}
		switch {
		case s.Index >= 0:
			b.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case IsPlainName(s.Name):
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(s.Name)
		default:
			b.WriteString("[" + Quote(s.Name, MaxName) + "]")
		}
	}
	return b.String()
}

// IsPlainName reports whether name can be used in a dotted path without quotes.
func IsPlainName(name string) bool {
	if name == "" || len(name) > MaxName {
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

// Clip returns the first n runes of s, followed by an ellipsis if s is longer.
func Clip(s string, n int) string {
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
