package authority

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
)

// TestIsIntegral tests all forms of short numbers.
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
							t.Fatalf("%s is not a number", number)
						}
						if got := isIntegral(number); got != value.IsInt() {
							t.Errorf("isIntegral(%s) = %t", number, got)
						}
					}
				}
			}
		}
	}
	if !isIntegral("1"+strings.Repeat("0", 90)+"e-90") || isIntegral("1"+strings.Repeat("0", 89)+"e-90") || !isIntegral("0e-999") || isIntegral("1e-999") {
		t.Error("isIntegral is wrong for long numbers")
	}
}

// TestWorkOfNumbers: only the type integer takes additional work, and only for numbers in an unusual form.
func TestWorkOfNumbers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		schema, number string
		work           int
	}{
		{`{"type":"number"}`, "1.5", 1},
		{`{"type":["integer","number"]}`, "1.5e9", 1},
		{`{"type":"string"}`, "1.5", 1},
		{`{"type":"integer"}`, "15", 1},
		{`{"type":"integer"}`, "1.0", 1 + numberWork},
		{`{"type":["integer","null"]}`, "1e9", 1 + numberWork},
	} {
		auth, err := Compile([]byte(row.schema), Draft2020)
		if err != nil {
			t.Fatal(err)
		}
		e := newEvaluator(auth, newBudget(t.Context(), maxWork))
		e.valid(auth.Root, json.Number(row.number), nil)
		if work := maxWork - e.work; work != row.work {
			t.Errorf("%s with %s took %d units of work, want %d", row.number, row.schema, work, row.work)
		}
	}
}
