package reflectschema

import "testing"

// TestParseDocumentBroken reads what is no JSON: reading ends at the first error.
func TestParseDocumentBroken(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		``:                ``,
		`[1,,2]`:          `[1]`,
		`[1`:              `[1]`,
		`{"a":[1,},"b":2`: `{}`,
		`{"a":}`:          `{}`,
		`{"a" 1}`:         `{}`,
		`[}`:              `[]`,
		`[1]`:             `[1]`,
		`{"a":{"b":[]}}`:  `{"a":{"b":[]}}`,
	} {
		if got := string(parseDocument([]byte(data)).appendTo(nil)); got != want {
			t.Errorf("parseDocument(%s) = %s, want %s", data, got, want)
		}
	}
}
