package wire

import (
	"math/big"
	"testing"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{`{"a":1,"b":2}`, `{ "b" : 2.0, "a":1 }`, `{"a":10e-1,"b":0.2E+1}`},
		{`{}`, ``, `null`},
		{`[0]`, `[-0]`, `[0.0]`, `[0e5]`, `[-0.00e-7]`},
		{`[100]`, `[1e2]`, `[1E+2]`, `[100.00]`},
		{`[-1.5]`, `[-15e-1]`, `[-1.50]`},
		{`["1.0"]`, `["\u0031.0"]`},
		{`[9007199254740993]`, `[9007199254740993.0]`},
		{`[9007199254740992]`},
		{`["1"]`},
		{`[1]`},
		{`[true]`},
		{`["\"1.0\\"]`},
		{`[1e400]`, `[10e399]`},
		{`[1e99999999999999999999]`},
	} {
		want := string(Canonical([]byte(same[0])))
		for _, text := range same[1:] {
			if got := string(Canonical([]byte(text))); got != want {
				t.Errorf("canonical(%s) = %s, and of %s it is %s", text, got, same[0], want)
			}
		}
	}
	seen := map[string]string{}
	for _, text := range []string{`[1]`, `["1"]`, `[-1]`, `[10]`, `[0.1]`, `[9007199254740993]`, `[9007199254740992]`, `[1e400]`, `[1e99999999999999999999]`, `["1.0"]`, `[1,1]`, `{}`, `[]`} {
		got := string(Canonical([]byte(text)))
		if other, twice := seen[got]; twice {
			t.Errorf("%s and %s are both %s", text, other, got)
		}
		seen[got] = text
	}
}

// FuzzCanonicalNumber: a number keeps its value, and two of the same value become the same.
func FuzzCanonicalNumber(f *testing.F) {
	f.Add(int64(15), int8(-1), uint8(3))
	f.Add(int64(0), int8(5), uint8(0))
	f.Fuzz(func(t *testing.T, n int64, exponent int8, zeros uint8) {
		text := big.NewInt(n).String()
		scaled := text + "e" + big.NewInt(int64(exponent)).String()
		padded := text
		for range zeros % 40 {
			padded += "0"
		}
		padded += "e" + big.NewInt(int64(exponent)-int64(zeros%40)).String()
		got := string(appendCanonicalNumber(nil, []byte(scaled)))
		if other := string(appendCanonicalNumber(nil, []byte(padded))); got != other {
			t.Errorf("%s becomes %s, and %s becomes %s", scaled, got, padded, other)
		}
		want, _ := new(big.Rat).SetString(scaled)
		if value, ok := new(big.Rat).SetString(got); !ok || value.Cmp(want) != 0 {
			t.Errorf("%s becomes %s", scaled, got)
		}
	})
}
