package reflectschema_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// payment has members that require other members.
type payment struct {
	Amount   float64 `json:"amount,omitempty" jsonschema:"dependentRequired=currency,dependentRequired=payer"`
	Currency string  `json:"currency,omitempty" jsonschema:"enum=EUR,enum=USD,dependentRequired=amount"`
	Payer    string  `json:"payer,omitempty"`
	Note     string  `json:"note,omitempty"`
}

// TestDependentRequired: the keyword applies to the struct, in arguments and results, and the example has the required
// members.
func TestDependentRequired(t *testing.T) {
	t.Parallel()
	typ := compiled(t, reflect.TypeFor[payment](), reflectschema.DirectionInput)
	if want := `"dependentRequired":{"amount":["currency","payer"],"currency":["amount"]}`; !strings.Contains(string(typ.Schema().JSON()), want) {
		t.Errorf("the schema lacks %s: %s", want, typ.Schema().JSON())
	}
	for _, tt := range []struct{ data, want string }{
		{`{}`, ""},
		{`{"note":"x"}`, ""},
		{`{"payer":"me"}`, ""},
		{`{"amount":1,"currency":"EUR","payer":"me"}`, ""},
		{`{"amount":1}`, "currency: is required when \"amount\" is given\npayer: is required when \"amount\" is given\nExample: {\"amount\":1,\"currency\":\"EUR\",\"payer\":\"text\"}"},
		{`{"currency":"EUR"}`, "amount: is required when \"currency\" is given\nExample: {\"amount\":1,\"currency\":\"EUR\",\"payer\":\"text\"}"},
	} {
		var v payment
		got := ""
		if err := typ.Decode([]byte(tt.data), reflect.ValueOf(&v).Elem()); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.data, got, tt.want)
		}
	}
	out := compiled(t, reflect.TypeFor[payment](), reflectschema.DirectionOutput)
	if _, err := out.AppendEncode(nil, reflect.ValueOf(payment{Amount: 1, Currency: "EUR"})); err == nil || !strings.Contains(err.Error(), "payer: is required") {
		t.Errorf("result without payer: got error %v", err)
	}
	if data, err := out.AppendEncode(nil, reflect.ValueOf(payment{Payer: "me"})); err != nil || string(data) != `{"payer":"me"}` {
		t.Errorf("AppendEncode = %s, %v", data, err)
	}
	for _, sample := range samples.Of(typ.Schema()) {
		if fits := typ.Schema().Check(sample.JSON) == nil; fits != sample.Fits {
			t.Errorf("the sample %s fits: %t", sample.JSON, fits)
		}
	}
}

// TestDependentMistakes: the keyword must name another member of the struct.
func TestDependentMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value any
		want  string
	}{
		{struct {
			A int `json:"a" jsonschema:"dependentRequired=a"`
		}{}, "a field does not depend on itself"},
		{struct {
			A        int `json:"a" jsonschema:"dependentRequired=curency"`
			Currency int `json:"currency"`
		}{}, `no field has the name "curency" in JSON; write currency`},
		{struct {
			A int `json:"a,omitempty" jsonschema:"dependentRequired=b,dependentRequired=b"`
			B int `json:"b,omitempty"`
		}{}, `it names "b" twice; name each field once`},
		{struct {
			A int `json:"a" jsonschema:"dependentRequired=B"`
			B int `json:"-"`
		}{}, `no field has the name "B" in JSON; name another field`},
	} {
		_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.DirectionInput)
		if mistakes := reflectschema.TypeErrors(nil); !errors.As(err, &mistakes) || len(mistakes) != 1 || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Compile = %v, want %s", err, tt.want)
		}
	}
}
