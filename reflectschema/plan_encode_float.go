package reflectschema

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

func (p *plan) encodeFloat(dst []byte, f float64) ([]byte, bool) {
	if p.single {
		return p.encodeSingle(dst, f)
	}
	start := len(dst)
	dst = appendFloat(dst, f)
	if p.above < f && f < p.below {
		return dst, true
	}
	return dst, isFinite(f) && p.allowsFloat(dst[start:], f)
}

// encodeSingle is encodeFloat for a float32, which is judged by what is written: that is
// shorter than the float64 that f is.
func (p *plan) encodeSingle(dst []byte, f float64) ([]byte, bool) {
	start := len(dst)
	if isWhole(f, 1<<24) {
		dst = strconv.AppendInt(dst, int64(f), 10)
	} else {
		dst = jsontext.AppendFloat(dst, f, 32)
	}
	return dst, isFinite(f) && (p.free || p.rules.AllowsNumber(dst[start:]))
}

func isFinite(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }

// isWhole reports whether f is a whole number nearer to 0 than limit, and not -0.
func isWhole(f, limit float64) bool {
	return math.Abs(f) < limit && f == math.Trunc(f) && (f != 0 || !math.Signbit(f))
}

// appendFloat appends a float as jsontext does. Most floats that people write have few
// digits, of which at most three stand behind the point: if f is the one nearest to such a
// number of at most 15 digits, then that is its shortest form.
func appendFloat(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs < 1e12 {
		i := int64(abs*1000 + 0.5)
		if float64(i)/1000 == abs && (i > 0 || !math.Signbit(f)) {
			return appendThousandths(dst, i, f < 0)
		}
	} else if isWhole(f, 1e15) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	return jsontext.AppendFloat(dst, f, 64)
}

// appendThousandths appends value / 1000, with a sign.
func appendThousandths(dst []byte, value int64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, value/1000, 10)
	rest := value % 1000
	tenths, hundredths, thousandths := byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10)
	switch {
	case thousandths != '0':
		return append(dst, '.', tenths, hundredths, thousandths)
	case hundredths != '0':
		return append(dst, '.', tenths, hundredths)
	case tenths != '0':
		return append(dst, '.', tenths)
	default:
		return dst
	}
}
