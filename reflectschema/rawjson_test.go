package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Verbatim is encoded as its content.
type Verbatim string

func (v Verbatim) MarshalJSON() ([]byte, error) { return []byte(v), nil }

// TestRawJSONViolations checks the errors for invalid JSON in a value, or JSON with violations: its location and the
// reason.
func TestRawJSONViolations(t *testing.T) {
	t.Parallel()
	type output struct {
		R json.RawMessage `json:"r"`
		L []any           `json:"l"`
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[output](), reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	for raw, want := range map[string]string{
		`{"a":1,"a":2}`:         ".a: must be given once, got it twice",
		`{"b":[{"a":1,"a":2}]}`: ".b[0].a: must be given once, got it twice",
		`[{"a":1,"a":2}]`:       "[0].a: must be given once, got it twice",
		`{"a":"\ud800"}`:        ".a: is not valid JSON: ",
		`{"a":`:                 ".a: is not valid JSON: unexpected end of input",
		`[1e1000]`:              "[0]: must be a number with an exponent of at most 999, got 1e1000",
		`{} {}`:                 ": is not valid JSON: ",
	} {
		for at, value := range map[string]output{"r": {R: json.RawMessage(raw)}, "l[0]": {L: []any{Verbatim(raw)}}} {
			_, err := compiled.AppendEncode(nil, reflect.ValueOf(value))
			if err == nil || !strings.Contains(err.Error(), at+want) {
				t.Errorf("%s: got error %v, want %q", raw, err, at+want)
			}
		}
	}
}
