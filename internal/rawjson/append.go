package rawjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// AppendName appends the name of an object's next member and its colon, after a comma unless the object has just been
// opened. The name must not need escapes.
func AppendName(dst []byte, name string) []byte {
	dst = AppendComma(dst)
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}

// AppendComma appends a comma unless an object or an array has just been opened.
func AppendComma(dst []byte) []byte {
	if n := len(dst); n > 0 && dst[n-1] != '{' && dst[n-1] != '[' {
		dst = append(dst, ',')
	}
	return dst
}

// AppendRawMembers appends members that are already JSON, sorted by name. It omits values that are not a
// [encoding/json.RawMessage].
func AppendRawMembers(dst []byte, members map[string]any) []byte {
	if len(members) == 0 {
		return dst // without the allocations of an iterator
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if raw, ok := members[name].(json.RawMessage); ok {
			dst = append(AppendString(AppendComma(dst), name), ':')
			dst = append(dst, raw...)
		}
	}
	return dst
}

// AppendStrings appends an array of strings.
func AppendStrings[T ~string](dst []byte, list []T) []byte {
	dst = append(dst, '[')
	for _, text := range list {
		dst = AppendString(AppendComma(dst), string(text))
	}
	return append(dst, ']')
}

const (
	// large is the size in bytes from which buffers are sized exactly.
	large = 64 << 10
	// restOfAnswer is the typical number of bytes in a response after its largest part.
	restOfAnswer = 512
)

// Grow returns dst with room for n more bytes. If a large dst grows by at least half, Grow allocates little more than
// needed, where append would add up to a quarter of the size: a response ends soon after its largest part.
func Grow(dst []byte, n int) []byte {
	if size := len(dst) + n; size > cap(dst) && size >= large && n >= len(dst)/2 {
		return append(slices.Grow([]byte(nil), size+restOfAnswer), dst...)
	}
	return slices.Grow(dst, n)
}

// GrowForString returns dst with room for text as a JSON string if text is large; otherwise it returns dst unchanged.
func GrowForString[T ~string | ~[]byte](dst []byte, text T) []byte {
	if len(text) < large {
		return dst
	}
	return growForString(dst, text)
}

// growForString is the rest of GrowForString, separate so that the compiler can inline GrowForString.
func growForString[T ~string | ~[]byte](dst []byte, text T) []byte {
	n := len(text) + len(`""`)
	if n <= cap(dst)-len(dst) {
		return dst
	}
	for i := range len(text) {
		switch esc := escapes[text[i]&(utf8.RuneSelf-1)]; {
		case esc == 0 || text[i] >= utf8.RuneSelf:
		case esc == 'u':
			n += len(`u0000`)
		default:
			n++
		}
	}
	return Grow(dst, n)
}

// AppendString appends text as a JSON string. Invalid UTF-8 is replaced by U+FFFD.
func AppendString[T ~string | ~[]byte](dst []byte, text T) []byte {
	return appendString(dst, text, &escapes)
}

// appendString appends text as a JSON string, with the given escapes of ASCII.
func appendString[T ~string | ~[]byte](dst []byte, text T, escapes *[utf8.RuneSelf]byte) []byte {
	dst = append(GrowForString(dst, text), '"')
	start := 0
	var direction struct{ isKnown, isRightToLeft bool } // of text; found once, because it needs a pass over the text
	for i := 0; i < len(text); {
		c := text[i]
		if c < utf8.RuneSelf {
			if esc := escapes[c]; esc != 0 {
				dst = append(dst, text[start:i]...)
				if c == '\r' && i+1 < len(text) && text[i+1] == '\n' {
					esc = 'r'
				}
				dst = escape(dst, c, esc)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(string(text[i:min(len(text), i+utf8.UTFMax)]))
		replaces := r == utf8.RuneError && size == 1 || escapes == &harmless && isHarmful(text[:i], r)
		if replaces && isMark(r) {
			if !direction.isKnown {
				direction.isKnown, direction.isRightToLeft = true, isRightToLeft(string(text))
			}
			replaces = !direction.isRightToLeft
		}
		if replaces {
			dst = append(dst, text[start:i]...)
			dst = append(dst, "\ufffd"...)
			start = i + size
		}
		i += size
	}
	dst = append(dst, text[start:]...)
	return append(dst, '"')
}

// AppendMinimal appends text, which must be valid UTF-8, as a JSON string with the fewest escapes (RFC 8259, section
// 7). [AppendString] also escapes DEL.
func AppendMinimal(dst []byte, text string) []byte {
	dst = append(slices.Grow(GrowForString(dst, text), len(text)+len(`""`)), '"')
	start := 0
	for i := minimalUntil(text, 0); i < len(text); i = minimalUntil(text, i+1) {
		dst = escape(append(dst, text[start:i]...), text[i], escapes[text[i]])
		start = i + 1
	}
	return append(append(dst, text[start:]...), '"')
}

// AppendCompact appends a JSON value without white space, with strings as [AppendMinimal] writes them. Numbers stay as
// they are written. It returns the error of [Valid] if text is not valid, and then appends nothing.
func AppendCompact(dst, text []byte) ([]byte, error) {
	return appendCompact(dst, text, nil)
}

// appendCompact is [AppendCompact], which sorts objects if sorter is not nil.
func appendCompact(dst, text []byte, sorter *sorter) ([]byte, error) {
	s := New(text, 0)
	out := s.appendCompact(slices.Grow(dst, len(text)), sorter)
	if s.End(); s.err != nil {
		return dst, s.err
	}
	return out, nil
}

// appendCompact appends the next value. After an error, the output is not complete.
func (s *Scanner) appendCompact(dst []byte, sorter *sorter) []byte {
	switch s.Next() {
	case String:
		return s.appendString(dst)
	case Object:
		return s.appendObject(dst, sorter)
	case Array:
		s.push()
		dst = append(dst, '[')
		for s.more(']') {
			dst = s.appendCompact(AppendComma(dst), sorter)
		}
		return append(dst, ']')
	default:
		return append(dst, s.Value()...)
	}
}

// appendObject is appendCompact for an object.
func (s *Scanner) appendObject(dst []byte, sorter *sorter) []byte {
	s.push()
	dst = append(dst, '{')
	first := 0
	if sorter != nil {
		first = len(sorter.open)
	}
	for s.more('}') {
		dst = AppendComma(dst)
		name := len(dst)
		dst = append(s.appendName(dst), ':')
		value := len(dst)
		dst = s.appendCompact(dst, sorter)
		if sorter != nil && s.err == nil {
			sorter.add(dst, name, value)
		}
	}
	if sorter != nil && s.err == nil {
		sorter.sort(dst, first)
	}
	return append(dst, '}')
}

// appendName appends the name of the next member, and moves past its colon.
func (s *Scanner) appendName(dst []byte) []byte {
	if s.peek() != '"' {
		s.fail("expected a name")
		return dst
	}
	dst = s.appendString(dst)
	if s.err == nil && s.peek() != ':' {
		s.fail("expected a colon")
	}
	s.pos++ // past the colon, unless there was an error
	return dst
}

// appendString appends the string whose opening quote is at pos, with the escapes of [AppendMinimal].
func (s *Scanner) appendString(dst []byte) []byte {
	start := s.pos // of the text to append
	for pos := s.pos + 1; ; {
		pos = TextEnd(s.data, pos)
		switch {
		case at(s.data, pos, '"'):
			s.pos = pos + 1
			return append(dst, s.data[start:s.pos]...)
		case !at(s.data, pos, '\\'):
			s.str() // records the error
			return dst
		}
		end, problem := escapeAt(s.data, pos)
		if problem != "" {
			s.str()
			return dst
		}
		if c := s.data[pos+1]; c == 'u' || c == '/' { // there may be a shorter form
			dst = append(dst, s.data[start:pos]...)
			before := len(dst)
			dst, _ = appendEscape(dst, s.data[pos:])
			if c := dst[before]; c < ' ' || c == '"' || c == '\\' {
				dst = escape(dst[:before], c, escapes[c])
			}
			start = end
		}
		pos = end
	}
}

// minimalUntil returns the index of the first byte at or after i that must be escaped, or the length of text.
func minimalUntil(text string, i int) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; i+word <= len(text); i += word {
		v := wordAt(text, i)
		controls := (v - ones*' ') & ^v & highs // exact up to the first
		if found := controls | quoteOrBackslash(v); found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// ValidUTF8 returns text with each invalid byte of UTF-8 replaced by U+FFFD.
func ValidUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune { return r }, text)
}

// word is the size of the loads with which long texts are read, in bytes.
const word = 8

// wordAt returns the eight bytes of s from i on, the first one lowest. The compiler makes one load of it.
func wordAt(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// QuotedSize returns the number of bytes that [AppendQuoted] appends.
func QuotedSize(text []byte) int {
	return len(text) + specials(text) + len(`""`)
}

// specials counts the quotes and backslashes in text: the only bytes of compact JSON that a JSON string must escape.
func specials(text []byte) int {
	return bytes.Count(text, []byte{'"'}) + bytes.Count(text, []byte{'\\'})
}

// AppendQuoted appends JSON text as a JSON string. The text must be compact and valid UTF-8, as all encoders of this
// module write it, so that only quotes and backslashes need escapes; use [AppendString] for any other text. Text may
// alias dst.
func AppendQuoted(dst, text []byte) []byte {
	more := len(text)
	if len(text) > 1<<10 { // counting costs less than twice the memory
		more = specials(text)
	}
	dst = Grow(dst, len(text)+more+word+2)
	out, n := dst[:cap(dst)], len(dst)
	out[n] = '"'
	n++
	for ; len(text) >= word; text = text[word:] {
		v := binary.LittleEndian.Uint64(text)
		binary.LittleEndian.PutUint64(out[n:], v)
		for found := quoteOrBackslash(v); found != 0; found &= found - 1 {
			i := bits.TrailingZeros64(found) / 8
			out[n+i] = '\\'
			n++
			binary.LittleEndian.PutUint64(out[n+i:], v>>(8*i)) // the rest of the word moves up
		}
		n += word
	}
	for _, c := range text {
		if c == '"' || c == '\\' {
			out[n] = '\\'
			n++
		}
		out[n] = c
		n++
	}
	out[n] = '"'
	return out[:n+1]
}

// quoteOrBackslash sets the high bit of each byte of v that is a quote or a backslash.
func quoteOrBackslash(v uint64) uint64 {
	const ones, lows, highs = 0x0101010101010101, 0x7f7f7f7f7f7f7f7f, 0x8080808080808080
	quote, backslash := v^ones*'"', v^ones*'\\'
	// For a byte of 0, neither the sum of its low bits nor its own high bit sets the high bit.
	return ^((quote&lows + lows | quote) & (backslash&lows + lows | backslash)) & highs
}

// AppendFloat appends a number in the format of encoding/json. NaN and the infinities, which JSON cannot represent,
// become null.
func AppendFloat(dst []byte, f float64) []byte {
	// Most numbers in results have few decimals, and dividing once is several times as fast as finding the shortest form.
	if abs := math.Abs(f); abs < 1e12 {
		if thousandths := uint64(abs*1000 + 0.5); thousandths > 0 && float64(thousandths)/1000 == abs {
			return appendThousandths(dst, thousandths, f < 0)
		}
	}
	return appendFloat(dst, f, 64, 1e15)
}

// appendThousandths appends n / 1000 without trailing zeros.
func appendThousandths(dst []byte, n uint64, negative bool) []byte {
	if negative {
		dst = append(dst, '-')
	}
	dst = strconv.AppendUint(dst, n/1000, 10)
	tenths, hundredths, thousandths := byte('0'+n/100%10), byte('0'+n/10%10), byte('0'+n%10)
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

// AppendFloat32 is [AppendFloat] for a float32, whose shortest form has fewer digits.
func AppendFloat32(dst []byte, f float32) []byte {
	return appendFloat(dst, float64(f), 32, 1<<24)
}

// appendFloat appends the shortest form of a float of the given size in bits. A whole number below exact has no form
// shorter than its digits.
func appendFloat(dst []byte, f float64, bits int, exact float64) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case math.Abs(f) < exact && f == math.Trunc(f) && (f != 0 || !math.Signbit(f)):
		return strconv.AppendInt(dst, int64(f), 10)
	default:
		return appendShortest(dst, f, bits)
	}
}

// appendShortest appends the shortest form of a finite float of the given size in bits. Small and large numbers have an
// exponent, as in ECMAScript.
func appendShortest(dst []byte, f float64, bits int) []byte {
	low, high := 1e-6, 1e21
	if bits == 32 {
		low, high = float64(float32(low)), float64(float32(high))
	}
	abs := math.Abs(f)
	if abs == 0 || low <= abs && abs < high {
		return strconv.AppendFloat(dst, f, 'f', -1, bits)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, bits)
	if n := len(dst); string(dst[n-4:n-1]) == "e-0" { // strconv writes at least two digits
		dst = append(dst[:n-2], dst[n-1])
	}
	return dst
}

// escape appends the escape of c; esc is its entry in escapes.
func escape(dst []byte, c, esc byte) []byte {
	if esc == replaced {
		return append(dst, "\ufffd"...)
	}
	if esc != 'u' {
		return append(dst, '\\', esc)
	}
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}

// escapes maps an ASCII byte to the letter of its escape; 0 means that it is not escaped.
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
