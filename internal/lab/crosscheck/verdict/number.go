package verdict

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// largestExponent is the largest exponent that is evaluated exactly.
const largestExponent = 5000

// rational returns the exact value of a JSON number. It returns false if the exponent is too large.
func rational(text string) (*big.Rat, bool) {
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.Atoi(text[i+1:])
		if err != nil || exponent > largestExponent || exponent < -largestExponent {
			return nil, false
		}
	}
	return new(big.Rat).SetString(text)
}

// goNumber converts a JSON number for the judge: to an int64 or uint64 if possible, else to the nearest finite float64.
func goNumber(text string) any {
	if r, ok := rational(text); ok && r.IsInt() {
		switch {
		case r.Num().IsInt64():
			return r.Num().Int64()
		case r.Num().IsUint64():
			return r.Num().Uint64()
		}
	}
	f, _ := strconv.ParseFloat(text, 64) // infinite if out of range, as intended
	return math.Max(-math.MaxFloat64, math.Min(math.MaxFloat64, f))
}

// isLossy reports whether goNumber changes the number. The float64 nearest to a decimal fraction counts as equal, since
// bounds of a schema are converted in the same way.
func isLossy(text string) bool {
	f, isFloat := goNumber(text).(float64)
	return isFloat && !isSame(text, f)
}

// isLossyFloat is isLossy for numbers in a schema, all of which the judge converts to float64.
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
