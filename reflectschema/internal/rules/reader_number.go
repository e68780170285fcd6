package rules

import (
	"bytes"
	"math"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// maxPlainDigits is how many digits an integer of the plan may have: as many as
// always fit an int64.
const maxPlainDigits = 18

// maxShortNumber is the length up to which a number without an exponent is told
// apart from every other such number by its float64.
const maxShortNumber = 15

// Integer reads a number that is written as an integer and is not too large.
func (r *Reader) Integer() (int64, bool) {
	r.Peek()
	i, data := r.Pos, r.Data
	negative := i < len(data) && data[i] == '-'
	if negative {
		i++
	}
	start, v := i, int64(0)
	for i < len(data) && data[i]-'0' <= 9 {
		v = v*10 + int64(data[i]-'0') // may wrap around; then it is too long anyway
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

// Number reads a number as it is written.
func (r *Reader) Number() ([]byte, bool) {
	r.Peek()
	end, ok := jsonscan.NumberEnd(r.Data, r.Pos)
	number := r.Data[r.Pos:end]
	if !ok || !authority.IsWithinLimits(number) {
		return nil, false
	}
	r.Pos = end
	return number, true
}

// short reports whether a number is told apart from every other short one by its
// float64: 15 digits are, and this is no more.
func short(number []byte) bool {
	return len(number) <= maxShortNumber && !bytes.ContainsAny(number, "eE")
}

// Float reads a number and what it is as a float64.
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

// quotient returns value / 10^scale with a sign, for values of at most 15 digits: both
// are exact, so the result is rounded once, as it should be.
func quotient(value int64, scale int, negative bool) float64 {
	f := float64(value) / powersOf10[scale]
	if negative {
		f = -f
	}
	return f
}

// floatOf returns the float64 nearest to a number, if there is one.
func floatOf(number []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(number), 64)
	return f, err == nil
}

// decimal is the number value / 10^scale, exactly.
type decimal struct {
	Value int64
	scale int // 0 to 18
}

// decimalOf returns the exact value of a number without an exponent and with few
// enough digits.
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

// isMultipleOf reports whether d is known to be a whole multiple of unit, which is
// more than 0.
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
