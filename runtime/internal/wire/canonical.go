package wire

import (
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Canonical returns raw, valid JSON, in canonical form: members are sorted, and strings have the fewest escapes. Numbers
// stay as they are written, so that unequal ones stay different even if they are the same float64: a client writes the
// number that it has received or parsed in the same way each time. For empty text and null it returns an empty object.
func Canonical(raw []byte) []byte {
	if kind := rawjson.KindOf(raw); kind == rawjson.Invalid || kind == rawjson.Null {
		return []byte("{}")
	}
	canonical, err := rawjson.AppendCanonical(nil, raw)
	if err != nil {
		return raw
	}
	return canonical
}
