package rules

import (
	"bytes"
	"math"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// maxPlainDigits is the number of digits that always fit an int64.
const maxPlainDigits = 18

// maxShortNumber is the length up to which two different numbers without
// exponents have different float64 values.
const maxShortNumber = 15

// Integer reads a number without fraction and exponent, of at most 18 digits.
func (r *Reader) Integer() (int64, bool) {
	r.Peek()
	i, data := r.Pos, r.Data
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	start, v := i, int64(0)
	for i < len(data) && data[i]-'0' <= 9 {
		v = v*10 + int64(data[i]-'0') // may overflow, but then there are too many digits
		i++
	}
	n := i - start
	if n == 0 || n > maxPlainDigits || (n > 1 && data[start] == '0') {
		return 0, false
	}
	if i < len(data) && (data[i] == '.' || data[i]|0x20 == 'e') {
		return 0, false
	}
	r.Pos = i
	if negative {
		v = -v
	}
	return v, true
}

// Number reads a number and returns its text. It does not support numbers beyond the limits of package authority.
func (r *Reader) Number() ([]byte, bool) {
	r.Peek()
	end, ok := rawjson.NumberEnd(r.Data, r.Pos)
	number := r.Data[r.Pos:end]
	if !ok || !authority.IsWithinLimits(number) {
		return nil, false
	}
	r.Pos = end
	return number, true
}

// short reports whether a number has at most 15 characters and no exponent. Two
// such numbers are equal if their float64 values are.
func short(number []byte) bool {
	return len(number) <= maxShortNumber && !bytes.ContainsAny(number, "eE")
}

// Float reads a number, and returns its text and its float64.
func (r *Reader) Float() (number []byte, f float64, ok bool) {
	r.Peek()
	rest := r.Data[r.Pos:]
	i := 0
	negative := len(rest) > 0 && rest[0] == '-'
	if negative {
		i++
	}
	first, value, point := i, int64(0), -1
	for ; i < len(rest) && i <= maxShortNumber; i++ {
		if c := rest[i]; c-'0' <= 9 {
			value = value*10 + int64(c-'0')
		} else if c == '.' && point < 0 {
			point = i
		} else {
			break
		}
	}
	last := i - 1
	plain := i <= maxShortNumber && last >= first && rest[first] != '.' && last != point &&
		(rest[first] != '0' || last == first || point == first+1) && (i == len(rest) || rest[i]|0x20 != 'e')
	if !plain {
		number, ok = r.Number()
		if ok {
			f, ok = floatOf(number)
		}
		return number, f, ok
	}
	r.Pos += i
	scale := 0
	if point >= 0 {
		scale = last - point
	}
	return rest[:i], quotient(value, scale, negative), true
}

// quotient returns value / 10^scale with a sign, correctly rounded: for values of at most
// 15 digits both operands are exact, so the division rounds only once.
func quotient(value int64, scale int, negative bool) float64 {
	f := float64(value) / powersOf10[scale]
	if negative {
		f = -f
	}
	return f
}

// floatOf returns the float64 nearest to a number. It reports false if the number is out of range.
func floatOf(number []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(number), 64)
	return f, err == nil
}

// decimal is the number value / 10^scale, exactly.
type decimal struct {
	Value int64
	scale int // 0 to 18
}

// decimalOf returns the exact value of a number. It reports false if the number
// has an exponent or more than 18 digits.
func decimalOf(number []byte) (decimal, bool) {
	var d decimal
	count, point := 0, false
	for i, c := range number {
		switch {
		case c-'0' <= 9:
			d.Value = d.Value*10 + int64(c-'0')
			count++
			if point {
				d.scale++
			}
		case c == '.':
			point = true
		case c != '-' || i > 0:
			return decimal{}, false
		}
		if count > maxPlainDigits {
			return decimal{}, false
		}
	}
	if number[0] == '-' {
		d.Value = -d.Value
	}
	return d, true
}

// isMultipleOf reports whether d is known to be a multiple of unit, which must be
// positive.
func (d decimal) isMultipleOf(unit decimal) bool {
	for d.scale < unit.scale {
		if d.Value > math.MaxInt64/10 || d.Value < math.MinInt64/10 {
			return false
		}
		d.Value *= 10
		d.scale++
	}
	for unit.scale < d.scale {
		if unit.Value > math.MaxInt64/10 {
			return d.Value == 0
		}
		unit.Value *= 10
		unit.scale++
	}
	return d.Value%unit.Value == 0
}

// powersOf10 are exact as float64.
var powersOf10 = [maxShortNumber + 1]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}
