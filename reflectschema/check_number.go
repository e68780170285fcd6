package reflectschema

import (
	"math"
	"math/big"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// numberRules are the keywords about numbers. The zero value allows all.
type numberRules struct {
	bounds []bound
	unit   decimal // multipleOf, unless its value is 0

	// low and high are the bounds once more, as the least and the greatest
	// integer within them; both are 0 without bounds.
	low, high int64
	above     bool // no bound stops integers beyond int64
}

// A bound is one of minimum, maximum and their exclusive siblings.
type bound struct {
	at      float64
	isShort bool // at stands for no other short number
	upper   bool
	open    bool // at itself is beyond it
}

// add adds a keyword with a number. One that is out of all proportion is not known.
func (n *numberRules) add(keyword string, v *jsondoc.Value) bool {
	in := reader{data: v.Raw}
	if _, ok := in.number(); !ok {
		return false
	}
	if keyword == "multipleOf" {
		unit, ok := decimalOf(v.Raw)
		n.unit = unit
		return ok && unit.value > 0
	}
	at, ok := floatOf(v.Raw)
	if !ok {
		return false
	}
	b := bound{at: at, isShort: short(v.Raw)}
	switch keyword {
	case "exclusiveMinimum":
		b.open = true
	case "maximum":
		b.upper = true
	case "exclusiveMaximum":
		b.upper, b.open = true, true
	}
	if len(n.bounds) == 0 {
		n.low, n.high, n.above = math.MinInt64, math.MaxInt64, true
	}
	n.bounds = append(n.bounds, b)
	n.narrow(v.Raw, b)
	return true
}

// narrow applies a bound, written as number, to low and high.
func (n *numberRules) narrow(number []byte, b bound) {
	in := reader{data: number}
	limit, ok := in.integer()
	open := b.open
	if !ok {
		limit, open = nearestInside(number, b)
	}
	switch {
	case b.upper && open && limit == math.MinInt64, !b.upper && open && limit == math.MaxInt64:
		n.low, n.high = 1, 0 // nothing is left
	case b.upper && open:
		n.high = min(n.high, limit-1)
	case b.upper:
		n.high = min(n.high, limit)
	case open:
		n.low = max(n.low, limit+1)
	default:
		n.low = max(n.low, limit)
	}
	n.above = n.above && !b.upper && (!open || limit < math.MaxInt64)
}

// nearestInside returns the integer at a bound that is no plain integer: rounded to
// the inside, where it is no longer open, and cut to what an int64 holds.
func nearestInside(number []byte, b bound) (limit int64, open bool) {
	exact, _ := new(big.Rat).SetString(string(number)) // a number of 100 bytes with a small exponent
	whole, rest := new(big.Int).DivMod(exact.Num(), exact.Denom(), new(big.Int))
	open = b.open && rest.Sign() == 0
	if !b.upper && rest.Sign() != 0 {
		whole.Add(whole, big.NewInt(1))
	}
	switch {
	case whole.IsInt64():
		return whole.Int64(), open
	case whole.Sign() < 0 && b.upper, whole.Sign() > 0 && !b.upper:
		// Beyond every int64 on the wrong side: an open bound at the end stops all.
		if b.upper {
			return math.MinInt64, true
		}
		return math.MaxInt64, true
	case b.upper:
		return math.MaxInt64, false
	default:
		return math.MinInt64, false
	}
}

// allowsInt reports whether an integer is valid.
func (n *numberRules) allowsInt(i int64) bool {
	if n.bounds != nil && (i < n.low || i > n.high) {
		return false
	}
	return n.unit.value == 0 || decimal{value: i}.isMultipleOf(n.unit)
}

// allows reports whether a number, of which f is the float64, is known to be
// valid. Rounding keeps order, so f beyond a bound tells the truth; f on a bound
// does so only when neither number can have been rounded to the other.
func (n *numberRules) allows(number []byte, f float64) bool {
	for _, b := range n.bounds {
		inside := f > b.at
		if b.upper {
			inside = f < b.at
		}
		if !inside && (f != b.at || b.open || !b.isShort || !short(number)) {
			return false
		}
	}
	if n.unit.value == 0 {
		return true
	}
	d, ok := decimalOf(number)
	return ok && d.isMultipleOf(n.unit)
}
