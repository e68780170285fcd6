package jsonwrite

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
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

// Quoted appends JSON text as a JSON string: text that is compact and valid UTF-8,
// as every encoder of this module makes it. Of what a string must not hold as it is,
// such text has nothing but quotes and backslashes; [String] is for all other text.
// The text may be a part of dst.
func Quoted(dst, text []byte) []byte {
	const word = 8
	dst = slices.Grow(dst, 2*len(text)+word+2)
	out, n, i := dst[:cap(dst)], len(dst), 0
	out[n] = '"'
	n++
	for i+word <= len(text) {
		v := binary.LittleEndian.Uint64(text[i:])
		binary.LittleEndian.PutUint64(out[n:], v) // what is too much is written over
		found := equal(v, '"') | equal(v, '\\')
		if found == 0 {
			i, n = i+word, n+word
			continue
		}
		k := bits.TrailingZeros64(found) / word
		i, n = i+k, n+k
		out[n], out[n+1] = '\\', text[i]
		i, n = i+1, n+2
	}
	for ; i < len(text); i++ {
		if c := text[i]; c == '"' || c == '\\' {
			out[n] = '\\'
			n++
		}
		out[n] = text[i]
		n++
	}
	out[n] = '"'
	return out[:n+1]
}

// equal marks, by its high bit, the first byte of v that is c; what it says of the
// bytes above that one may be wrong.
func equal(v uint64, c byte) uint64 {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	v ^= ones * uint64(c)
	return (v - ones) &^ v & highs
}

// Float appends a number as encoding/json writes it. NaN and the infinities
// have no JSON form; they are written as null.
func Float(dst []byte, f float64) []byte {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return append(dst, "null"...)
	}
	return jsontext.AppendFloat(dst, f, 64)
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
