package authority

import (
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// TestIsIntegral goes over short numbers in all their forms.
func TestIsIntegral(t *testing.T) {
	t.Parallel()
	for _, sign := range []string{"", "-"} {
		for _, whole := range []string{"0", "1", "10", "100", "120", "205"} {
			for _, fraction := range []string{"", ".0", ".00", ".5", ".50", ".05", ".120", ".001"} {
				for exponent := -4; exponent <= 4; exponent++ {
					for _, form := range []string{"", "e%d", "E%+d", "e%+04d"} {
						number := sign + whole + fraction
						if form == "" && exponent != 0 {
							continue
						}
						if form != "" {
							number += fmt.Sprintf(form, exponent)
						}
						value, ok := new(big.Rat).SetString(number)
						if !ok {
							t.Fatalf("%s is no number", number)
						}
						if got := isIntegral(number); got != value.IsInt() {
							t.Errorf("isIntegral(%s) is %t", number, got)
						}
					}
				}
			}
		}
	}
	if !isIntegral("1"+strings.Repeat("0", 90)+"e-90") || isIntegral("1"+strings.Repeat("0", 89)+"e-90") || !isIntegral("0e-999") || isIntegral("1e-999") {
		t.Error("long numbers")
	}
}
