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
	if number, ok = r.Number(); ok {
		f, ok = floatOf(number)
	}
	return number, f, ok
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
