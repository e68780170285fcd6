package wire

import "testing"

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`{"a":1,"b":"x"}`, `{ "b" : "\u0078", "a":1 }`},
		{`{"a":{"b":[],"c":1.50}}`, `{"a":{"c":1.50,"b":[ ]}}`},
		{`{}`, ``, `null`},
		{`["1.0"]`, `["\u0031.0"]`},
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
	seen := map[string]string{}
	for _, text := range []string{`[1]`, `["1"]`, `[-1]`, `[10]`, `[0.1]`, `[9007199254740993]`, `[9007199254740992]`, `[1e400]`, `[1e99999999999999999999]`, `[1.0]`, `["1.0"]`, `[1,1]`, `{}`, `[]`} {
		got := string(Canonical([]byte(text)))
		if other, twice := seen[got]; twice {
			t.Errorf("Canonical(%s) = Canonical(%s) = %s, want different values", text, other, got)
		}
		seen[got] = text
	}
}
