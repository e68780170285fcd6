package jsonwrite

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Name appends the name of an object's next member and its colon, with a comma
// first unless the object has just been opened. The name must need no escapes.
func Name(dst []byte, name string) []byte {
	dst = Comma(dst)
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// Comma appends a comma unless an object or an array has just been opened.
func Comma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' && dst[n-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// String appends text as a JSON string. Bytes that are no UTF-8 become U+FFFD.
func String[T ~string | ~[]byte](dst []byte, text T) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if esc := escapes[c]; esc != 0 {
				dst = append(dst, text[start:i]...)
				dst = escape(dst, c, esc)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		if r == utf8.RuneError && size == 1 {
			dst = append(dst, text[start:i]...)
			dst = append(dst, "\ufffd"...)
			start = i + 1
		}
		i += size
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}

// Float appends a number as encoding/json writes it. NaN and the infinities
// have no JSON form; they are written as null.
func Float(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	format := byte('f')
	if abs := math.Abs(f); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		format = 'e'
	}
	return strconv.AppendFloat(dst, f, format, -1, 64)
}

// escape appends the escape of c; esc is its entry in escapes.
func escape(dst []byte, c, esc byte) []byte {
	if esc != 'u' {
		return append(dst, '\\', esc)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// escapes maps an ASCII byte to the letter of its escape; 0 needs none.
var escapes = func() (t [utf8.RuneSelf]byte) {
	for c := range t {
		if c < ' ' || c == 0x7f {
			t[c] = 'u'
		}
	}
	t['"'], t['\\'] = '"', '\\'
	t['\b'], t['\f'], t['\n'], t['\r'], t['\t'] = 'b', 'f', 'n', 'r', 't'
	return t
}()
