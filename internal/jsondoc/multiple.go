package jsondoc

import "math/big"

// FloorMultiple returns the greatest multiple of unit that is at most r.
func FloorMultiple(r, unit *big.Rat) *big.Rat {
	if unit == nil {
		return r
	}
	q := new(big.Rat).Quo(r, unit)
	whole := new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: rounds down, the denominator is positive
	return q.Mul(q.SetInt(whole), unit)
}

// CeilMultiple returns the least multiple of unit that is at least r.
func CeilMultiple(r, unit *big.Rat) *big.Rat {
	if unit == nil {
		return r
	}
	neg := FloorMultiple(new(big.Rat).Neg(r), unit)
	return neg.Neg(neg)
}
