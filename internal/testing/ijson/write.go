package ijson

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Compact returns a valid text without white space, with strings as [Quote] writes them.
func Compact(text []byte) ([]byte, error) {
	if err := Valid(text); err != nil {
		return nil, err
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return nil, err
	}
	return quoted.ReplaceAllFunc(compact.Bytes(), func(raw []byte) []byte {
		var s string
		_ = json.Unmarshal(raw, &s) // cannot fail: text is valid
		return []byte(Quote(s))
	}), nil
}

// quoted matches a string in a valid text.
var quoted = regexp.MustCompile(`"([^"\\]|\\.)*"`)

// Quote returns s as a JSON string with the fewest escapes. U+FFFD replaces each byte that is not valid UTF-8.
func Quote(s string) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string has no error
	return unnecessary.Replace(strings.TrimSuffix(b.String(), "\n"))
}

// unnecessary replaces the escapes that encoding/json writes for JavaScript and for invalid UTF-8.
var unnecessary = strings.NewReplacer(`\\`, `\\`, `\u2028`, "\u2028", `\u2029`, "\u2029", `\ufffd`, "\ufffd")
