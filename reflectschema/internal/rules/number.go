package rules

import (
	"math"
	"math/big"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Number are the keywords for numbers. The zero value allows all numbers.
type Number struct {
	Bounds []bound
	Unit   decimal // multipleOf; absent if its value is 0

	// Low and High are the least and the greatest int64 within Bounds. Both
	// are 0 without bounds.
	Low, High int64
	Above     bool // Bounds are known to allow integers above the range of int64
}

// A bound is minimum, maximum, exclusiveMinimum or exclusiveMaximum.
type bound struct {
	At      float64
	isShort bool // the bound is a short number, so At identifies it; see short
	Upper   bool
	open    bool // the bound itself is excluded
}

// add adds a keyword for numbers. It reports false if it does not support the keyword or its number, for example
// because the number is too long.
func (n *Number) add(k jsondoc.Keyword, v *jsondoc.Value) bool {
	in := Reader{Data: v.Raw}
	if _, ok := in.Number(); !ok {
		return false
	}
	if k.Name == "multipleOf" {
		unit, ok := decimalOf(v.Raw)
		n.Unit = unit
		return ok && unit.Value > 0
	}
	at, ok := floatOf(v.Raw)
	if !ok || k.Limit == nil {
		return false
	}
	b := bound{At: at, isShort: short(v.Raw), Upper: !k.Limit.Least, open: k.Limit.Open}
	if len(n.Bounds) == 0 {
		n.Low, n.High, n.Above = math.MinInt64, math.MaxInt64, true
	}
	n.Bounds = append(n.Bounds, b)
	n.narrow(v.Raw, b)
	return true
}

// narrow applies a bound, written as number, to Low, High and Above.
func (n *Number) narrow(number []byte, b bound) {
	exact, _ := new(big.Rat).SetString(string(number)) // cheap: length and exponent were limited
	last := new(big.Int).Div(exact.Num(), exact.Denom())
	switch {
	case b.Upper && b.open && exact.IsInt():
		last.Sub(last, big.NewInt(1))
	case !b.Upper && (b.open || !exact.IsInt()):
		last.Add(last, big.NewInt(1))
	}
	// last is the last integer within the bound.
	isAbove := !last.IsInt64() && last.Sign() > 0
	n.Above = n.Above && !b.Upper && !isAbove
	switch {
	case last.IsInt64() && b.Upper:
		n.High = min(n.High, last.Int64())
	case last.IsInt64():
		n.Low = max(n.Low, last.Int64())
	case isAbove != b.Upper:
		n.Low, n.High = 1, 0 // no int64 is allowed
	}
}

// allowsInt reports whether an integer is valid.
func (n *Number) allowsInt(i int64) bool {
	if n.Bounds != nil && (i < n.Low || i > n.High) {
		return false
	}
	return n.Unit.Value == 0 || decimal{Value: i}.isMultipleOf(n.Unit)
}

// allows reports whether a number, which is f as a float64, is known to be
// valid. Rounding to float64 preserves order, so it is exact to compare f with
// a bound unless they are equal. If they are equal, the numbers are equal if both
// are short.
func (n *Number) allows(number []byte, f float64) bool {
	for _, b := range n.Bounds {
		inside := f > b.At
		if b.Upper {
			inside = f < b.At
		}
		if !inside && (f != b.At || b.open || !b.isShort || !short(number)) {
			return false
		}
	}
	if n.Unit.Value == 0 {
		return true
	}
	d, ok := decimalOf(number)
	return ok && d.isMultipleOf(n.Unit)
}
