package verdict

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// largestExponent is how large an exponent is still worked with as it is.
const largestExponent = 5000

// rational returns the number that a JSON number stands for, exactly. It reports false for one whose
// exponent is beyond measure.
func rational(text string) (*big.Rat, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(text[i+1:])
		if err != nil || exponent > largestExponent || exponent < -largestExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// goNumber returns a JSON number as what the judge takes for one: an int64 or uint64 if one holds it,
// else the nearest float64, which is finite.
func goNumber(text string) any {
	if r, ok := rational(text); ok && r.IsInt() {
		switch {
		case r.Num().IsInt64():
			return r.Num().Int64()
		case r.Num().IsUint64():
			return r.Num().Uint64()
		}
	}
	f, _ := strconv.ParseFloat(text, 64) // out of range it is infinite, as it should be
	return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, f))
}

// isLossy reports whether goNumber makes another number of it. The float64 nearest to a decimal
// fraction counts as that fraction, as the bounds of a schema become float64s in the same way.
func isLossy(text string) bool {
	f, isFloat := goNumber(text).(float64)
	return isFloat && !isSame(text, f)
}

// isLossyFloat is isLossy for the numbers of a schema, all of which the judge makes float64s.
func isLossyFloat(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	return err != nil || !isSame(text, f)
}

func isSame(text string, f float64) bool {
	r, ok := rational(text)
	if !ok {
		return false
	}
	shortest, ok := new(big.Rat).SetString(strconv.FormatFloat(f, 'g', -1, 64))
	return ok && shortest.Cmp(r) == 0
}
