package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// quotedTexts has fields of string types with json:",string", as types of other modules do.
type quotedTexts struct {
	Name    string       `json:"name,string"`
	Alias   *quotedAlias `json:"alias,string,omitempty"`
	Amount  json.Number  `json:"amount,string"`
	Balance *json.Number `json:"balance,string,omitempty"`
}

type quotedAlias string

// TestQuotedTexts checks that strings and json.Numbers with json:",string" are encoded and decoded as by encoding/json.
func TestQuotedTexts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, reason string
		value        quotedTexts
	}{
		{"zero", "an empty json.Number is 0", quotedTexts{}},
		{"plain", "JSON in a string", quotedTexts{Name: "Ada", Alias: new(quotedAlias("A")), Amount: "1.50", Balance: new(json.Number("-2e3"))}},
		{"escapes", "escaped twice; encoding/json escapes HTML in the inner JSON", quotedTexts{Name: "a\"b\\c\n<é>\u2028", Amount: "0"}},
		{"invalid UTF-8", "replaced, as in other strings", quotedTexts{Name: "\xff", Amount: "0"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want, err := json.Marshal(tt.value)
			if err != nil {
				t.Fatal(err)
			}
			output := compile[quotedTexts](t, reflectschema.DirectionOutput)
			got, err := output.AppendEncode(nil, reflect.ValueOf(tt.value))
			if err != nil {
				t.Fatal(err)
			}
			if !sameJSON(t, got, want) {
				t.Errorf("got %s, want %s: %s", got, want, tt.reason)
			}
			if err := output.Schema().Judge(got); err != nil {
				t.Errorf("%s does not fit: %v", got, err)
			}
			var read, wanted quotedTexts
			if err := compile[quotedTexts](t, reflectschema.DirectionInput).Decode(got, reflect.ValueOf(&read).Elem()); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(want, &wanted); err != nil || !reflect.DeepEqual(read, wanted) {
				t.Errorf("decoded %+v, want %+v (%v)", read, wanted, err)
			}
		})
	}
}

// TestQuotedTextsRefused checks values that are not JSON of a string or number, with the plan and without.
func TestQuotedTextsRefused(t *testing.T) {
	t.Parallel()
	typ := compile[quotedTexts](t, reflectschema.DirectionInput)
	for _, data := range []string{
		`{"name":"Ada","amount":"1"}`, `{"name":"","amount":"1"}`, `{"name":"\"","amount":"1"}`, `{"name":" \"a\"","amount":"1"}`, `{"name":"\"a\" ","amount":"1"}`,
		`{"name":"null","amount":"1"}`, `{"name":"1","amount":"1"}`, `{"name":"\"a\"b\"","amount":"1"}`, `{"name":"\"\n\"","amount":"1"}`, `{"name":"\"\\ud800\"","amount":"1"}`,
		`{"name":"\"a\"","amount":1}`, `{"name":"\"a\"","amount":""}`, `{"name":"\"a\"","amount":"\"1\""}`, `{"name":"\"a\"","amount":"1 "}`,
	} {
		if err := typ.Decode([]byte(data), reflect.New(reflect.TypeFor[quotedTexts]()).Elem()); err == nil {
			t.Errorf("%s was accepted", data)
		}
	}
}
