package reflectschema_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/testing/golden"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// goldenCount is the minimum number of bad inputs in the golden file.
const goldenCount = 80

// TestViolationTexts compares error texts with the golden file, and checks their guarantees.
func TestViolationTexts(t *testing.T) {
	t.Parallel()
	if n := len(badInputs) + len(badValues); n < goldenCount {
		t.Errorf("%d bad inputs, want at least %d", n, goldenCount)
	}
	names := map[string]bool{}
	unique := func(name string) {
		if names[name] {
			t.Errorf("duplicate name %q", name)
		}
		names[name] = true
	}
	want := golden.Open(t, filepath.Join("testdata", "violations.golden"))
	for _, tt := range badInputs {
		unique(tt.name)
		s := parse(t, tt.schema)
		text := answerTo(t, tt.name, tt.data, s.Check)
		want.Check(t, tt.name, shownInput(tt.data)+"\n\n"+text)
	}
	for _, tt := range badValues {
		unique(tt.name)
		typ := compiled(t, tt.goType, reflectschema.DirectionInput)
		text := answerTo(t, tt.name, tt.data, func(data []byte) error {
			dst := reflect.New(tt.goType).Elem()
			err := typ.Decode(data, dst)
			if err != nil && !dst.IsZero() {
				t.Errorf("%s: the value is not zero after an error", tt.name)
			}
			return err
		})
		want.Check(t, tt.name, shownInput(tt.data)+"\n\n"+text)
	}
}

// answerTo returns the error text of check for bad data, and checks its guarantees.
func answerTo(t *testing.T, name, data string, check func([]byte) error) (text string) {
	t.Helper()
	runs := 100 // the library iterates over maps in random order
	if len(data) > 10_000 {
		runs = 10
	}
	for range runs {
		invalid := (*reflectschema.InvalidError)(nil)
		if err := check([]byte(data)); !errors.As(err, &invalid) {
			t.Fatalf("%s: got error %v, want an InvalidError", name, err)
		}
		if again := invalid.Error(); text != "" && text != again {
			t.Fatalf("%s: the text is not deterministic:\n%s\n%s", name, text, again)
		} else {
			text = again
		}
	}
	promises(t, name, check, text)
	silent(t, name, text)
	return text
}

// shownInput returns an input in the form of the golden file: one line of printable characters.
func shownInput(data string) string {
	if len(data) > 300 {
		data = data[:100] + "…"
	}
	var b strings.Builder
	for _, r := range data {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "%U", r)
		}
	}
	return b.String()
}

// silent checks that a text does not expose internals. It is for inputs of the tests only, as other inputs may contain
// the same words.
func silent(t *testing.T, name, text string) {
	t.Helper()
	for _, leak := range []string{"urn:", "http://", "json.Number", "map[", "interface {", "%!", "goroutine", ".go:", "reflectschema", "netip."} {
		if strings.Contains(text, leak) {
			t.Errorf("%s: text contains %q:\n%s", name, leak, text)
		}
	}
}

// promises checks a text for the documented guarantees of Error.
func promises(t *testing.T, name string, check func([]byte) error, text string) {
	t.Helper()
	if len(text) > 2048 || !utf8.ValidString(text) {
		t.Errorf("%s: %d bytes, valid UTF-8 = %t", name, len(text), utf8.ValidString(text))
	}
	lines := strings.Split(text, "\n")
	if example, ok := strings.CutPrefix(lines[len(lines)-1], "Example: "); ok {
		if err := check([]byte(example)); err != nil {
			t.Errorf("%s: the example does not fit: %s\n%v", name, example, err)
		}
	}
	for _, line := range lines {
		for _, r := range line {
			if !unicode.IsPrint(r) {
				t.Errorf("%s: %q is not printable in %q", name, r, line)
			}
		}
	}
}
