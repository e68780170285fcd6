package rules

import (
	"math"
	"math/big"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// Number are the keywords about numbers. The zero value allows all.
type Number struct {
	Bounds []bound
	Unit   decimal // multipleOf, unless its value is 0

	// low and high are the bounds once more, as the least and the greatest
	// integer within them; both are 0 without bounds.
	Low, High int64
	Above     bool // no bound stops integers beyond int64
}

// A bound is one of minimum, maximum and their exclusive siblings.
type bound struct {
	At      float64
	isShort bool // at stands for no other short number
	Upper   bool
	open    bool // at itself is beyond it
}

// add adds a keyword about numbers, if it is known. A number that is out of all proportion is not.
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

// narrow applies a bound, written as number, to low and high.
func (n *Number) narrow(number []byte, b bound) {
	in := Reader{Data: number}
	limit, ok := in.Integer()
	open := b.open
	if !ok {
		limit, open = nearestInside(number, b)
	}
	switch {
	case b.Upper && open && limit == math.MinInt64, !b.Upper && open && limit == math.MaxInt64:
		n.Low, n.High = 1, 0 // nothing is left
	case b.Upper && open:
		n.High = min(n.High, limit-1)
	case b.Upper:
		n.High = min(n.High, limit)
	case open:
		n.Low = max(n.Low, limit+1)
	default:
		n.Low = max(n.Low, limit)
	}
	n.Above = n.Above && !b.Upper && (!open || limit < math.MaxInt64)
}

// nearestInside returns the integer at a bound that is no plain integer: rounded to
// the inside, where it is no longer open, and cut to what an int64 holds.
func nearestInside(number []byte, b bound) (limit int64, open bool) {
	exact, _ := new(big.Rat).SetString(string(number)) // a number of 100 bytes with a small exponent
	whole, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
	open = b.open && rest.Sign() == 0
	if !b.Upper && rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	switch {
	case whole.IsInt64():
		return whole.Int64(), open
	case whole.Sign() < 0 && b.Upper, whole.Sign() > 0 && !b.Upper:
		// Beyond every int64 on the wrong side: an open bound at the end stops all.
		if b.Upper {
			return math.MinInt64, true
		}
		return math.MaxInt64, true
	case b.Upper:
		return math.MaxInt64, false
	default:
		return math.MinInt64, false
	}
}

// allowsInt reports whether an integer is valid.
func (n *Number) allowsInt(i int64) bool {
	if n.Bounds != nil && (i < n.Low || i > n.High) {
		return false
	}
	return n.Unit.Value == 0 || decimal{Value: i}.isMultipleOf(n.Unit)
}

// allows reports whether a number, of which f is the float64, is known to be
// valid. Rounding keeps order, so f beyond a bound tells the truth; f on a bound
// does so only when neither number can have been rounded to the other.
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
