package jsondoc

import "math/big"

// FloorMultiple returns the greatest multiple of unit that is at most r. It may be r itself.
func FloorMultiple(r, unit *big.Rat) *big.Rat {
	if unit == nil || isWhole(r, unit) {
		return r
	}
	q := new(big.Rat).Quo(r, unit)
	whole := new(big.Int).Div(q.Num(), q.Denom()) // Euclidean: rounds down, the denominator is positive
	return q.Mul(q.SetInt(whole), unit)
}

// CeilMultiple returns the least multiple of unit that is at least r. It may be r itself.
func CeilMultiple(r, unit *big.Rat) *big.Rat {
	if unit == nil || isWhole(r, unit) {
		return r
	}
	neg := FloorMultiple(new(big.Rat).Neg(r), unit)
	return neg.Neg(neg)
}

// isWhole reports whether r is an integer and unit is 1, which is the usual case.
func isWhole(r, unit *big.Rat) bool {
	return r.IsInt() && unit.IsInt() && unit.Num().IsInt64() && unit.Num().Int64() == 1
}
