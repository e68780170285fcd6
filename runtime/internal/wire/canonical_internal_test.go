package wire

import "testing"

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`{"a":1,"b":"x"}`, `{ "b" : "\u0078", "a":1 }`},
		{`{"a":{"b":[],"c":1.50}}`, `{"a":{"c":1.50,"b":[ ]}}`},
		{`{}`, ``, `null`},
		{`["1.0"]`, `["\u0031.0"]`},
		{`{"a":1,"a":[2,{"c":0,"d":0}]}`, `{ "a":[2,{"d":0,"c":0}],"a":1}`},
		{"{\"😀\":1,\"\ufb33\":2}", `{"\ufb33":2,"\ud83d\ude00":1}`},
		{`["1"]`},
		{`["\"1.0\\"]`},
	} {
		want := string(Canonical([]byte(same[0])))
		for _, text := range same[1:] {
			if got := string(Canonical([]byte(text))); got != want {
				t.Errorf("Canonical(%s) = %s, want %s as of %s", text, got, want, same[0])
			}
		}
	}
	const form = `{"a":["x/<\n",1.50,-0],"b":{},"é":null}` // the requests that clients hold are bound to it
	if got := string(Canonical([]byte(`{ "\u00e9":null, "b":{ }, "a":["x\/\u003c\u000a", 1.50, -0] }`))); got != form {
		t.Errorf("the canonical form is %s, want %s", got, form)
	}
	seen := map[string]string{}
	for _, text := range []string{`[1]`, `["1"]`, `[-1]`, `[10]`, `[0.1]`, `[9007199254740993]`, `[9007199254740992]`, `[1e400]`, `[1e99999999999999999999]`, `[1.0]`, `["1.0"]`, `[1,1]`, `{}`, `[]`} {
		got := string(Canonical([]byte(text)))
		if other, twice := seen[got]; twice {
			t.Errorf("Canonical(%s) = Canonical(%s) = %s, want different values", text, other, got)
		}
		seen[got] = text
	}
}
