package reflectschema

import (
	"math"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// allowsWritten reports whether the float f, written as number, is known to be
// valid. A float32 is judged by what is written, which is shorter than itself.
func (p *plan) allowsWritten(number []byte, f float64) bool {
	if p.rules.types&typeFraction == 0 || p.node.goType.Bits() == 32 {
		return p.rules.allowsNumber(number)
	}
	return p.rules.allowsFloat(number, f)
}

// maxPlainScale is how many digits behind the point are tried before the general
// way, which finds the shortest form of any float.
const maxPlainScale = 3

// appendFloat appends a float as jsontext does. Most floats that people write are
// whole, or have a few digits behind the point: if f is the one nearest to such a
// number of at most 15 digits, then that is its shortest form.
func appendFloat(dst []byte, f float64, bits int) []byte {
	abs, exact := math.Abs(f), 1e15
	if bits == 32 {
		exact = 1 << 24
	}
	if i := int64(f); float64(i) == f && abs < exact && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, i, 10)
	}
	if bits == 64 && abs < 1e11 {
		for scale := 1; scale <= maxPlainScale; scale++ {
			i := int64(abs*powersOf10[scale] + 0.5)
			if i > 0 && quotient(i, scale, false) == abs {
				return appendPlain(dst, i, scale, f < 0)
			}
		}
	}
	return jsontext.AppendFloat(dst, f, bits)
}

// appendPlain appends value / 10^scale with a sign.
func appendPlain(dst []byte, value int64, scale int, negative bool) []byte {
	unit := int64(powersOf10[scale])
	if negative {
		dst = append(dst, '-')
	}
	dst = strconv.AppendInt(dst, value/unit, 10)
	dst = append(dst, '.')
	for rest := value % unit; scale > 0; scale-- {
		unit /= 10
		dst = append(dst, byte('0'+rest/unit%10))
	}
	return dst
}
