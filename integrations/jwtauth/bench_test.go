package jwtauth_test

import (
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
)

// BenchmarkVerify measures the verification of a token with cached keys, by algorithm, and of a
// token whose result is cached. Of an RS256 token, two thirds are the signature.
func BenchmarkVerify(b *testing.B) {
	a := newAuthority(b, issuerURL)
	measure := func(name string, change func(*jwtauth.Options)) {
		b.Run(name, func(b *testing.B) {
			v, text := a.verifier(b, change), a.token(b, nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := v.Verify(b.Context(), text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	measure("cached", nil)
	measure("RS256", uncached)
	a.rotate("ed", edKey(b), jose.EdDSA)
	measure("EdDSA", uncached)
}

// TestAllocations: the budgets of both paths. A cached result costs none.
func TestAllocations(t *testing.T) {
	a := newAuthority(t, issuerURL)
	text := a.token(t, nil)
	for name, test := range map[string]struct {
		change func(*jwtauth.Options)
		budget float64
	}{"cached": {nil, 0}, "RS256": {uncached, 150}} {
		v := a.verifier(t, test.change)
		if got := testing.AllocsPerRun(100, func() { verify(t, v, text) }); got > test.budget {
			t.Errorf("%s: %v allocations, and no more than %v are allowed", name, got, test.budget)
		}
	}
}
