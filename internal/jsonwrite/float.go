package jsonwrite

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Float appends a number as encoding/json writes it. NaN and the infinities have no JSON form; they are written as null.
//
// Most floats that people write have at most three digits after the decimal point. If f is the float nearest to such a
// number of at most 15 digits, that number is its shortest form.
func Float(dst []byte, f float64) []byte {
	if abs := math.Abs(f); abs < 1e12 {
		i := uint64(abs*1000 + 0.5)
		if float64(i)/1000 == abs && (i > 0 || !math.Signbit(f)) {
			return appendThousandths(dst, i, f < 0)
		}
	}
	return appendFloat(dst, f, 64, 1e15)
}

// Float32 is [Float] for a float32, whose shortest form has fewer digits.
func Float32(dst []byte, f float32) []byte {
	return appendFloat(dst, float64(f), 32, 1<<24)
}

// appendFloat appends the shortest form of a float with so many bits. Whole numbers up to exact have no shorter form than
// all their digits.
func appendFloat(dst []byte, f float64, bits int, exact float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case math.Abs(f) < exact && f == math.Trunc(f) && (f != 0 || !math.Signbit(f)):
		return strconv.AppendInt(dst, int64(f), 10)
	default:
		return jsontext.AppendFloat(dst, f, bits)
	}
}

// appendThousandths appends value / 1000, with a sign.
func appendThousandths(dst []byte, value uint64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	whole, rest := value/1000, value%1000
	if whole < 10 { // one of two cases that need no call
		dst = append(dst, byte('0'+whole))
	} else if whole < 100 {
		dst = append(dst, byte('0'+whole/10), byte('0'+whole%10))
	} else {
		dst = strconv.AppendUint(dst, whole, 10)
	}
	if rest == 0 {
		return dst
	}
	tenths, hundredths, thousandths := byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10)
	switch {
	case thousandths != '0':
		return append(dst, '.', tenths, hundredths, thousandths)
	case hundredths != '0':
		return append(dst, '.', tenths, hundredths)
	default:
		return append(dst, '.', tenths)
	}
}
