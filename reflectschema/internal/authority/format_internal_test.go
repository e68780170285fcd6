package authority

import (
	"strings"
	"testing"
)

// TestLongFormats: of the texts over 64 KiB only data URIs without what the check makes long copies of have a format.
func TestLongFormats(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", maxFormatText+1)
	for _, row := range []struct {
		format, text string
		fits         bool
	}{
		{"uri", "http://example.com/" + long[:1000], true},
		{"uri", "http://example.com/" + long, false},
		{"uri", "data:image/png;base64," + long, true},
		{"uri-reference", "DATA:," + long, true},
		{"iri", "data:," + long, true},
		{"iri-reference", long, false},
		{"uri", "data:,#" + long, false},
		{"uri", "data:/" + long, false},
		{"uri-template", "data:," + long, false},
		{"email", long[:60] + "@example.com", true},
		{"email", "a@" + long, false},
	} {
		auth, err := Compile([]byte(`{"type":"string","format":"`+row.format+`"}`), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		failures, err := auth.Check(auth.Root, Value{row.text, 1}, 10)
		if fits := len(failures) == 0; fits != row.fits || err != nil {
			t.Errorf("%s of %d bytes, %.30s: fits is %t, want %t: %v", row.format, len(row.text), row.text, fits, row.fits, err)
		}
	}
}
