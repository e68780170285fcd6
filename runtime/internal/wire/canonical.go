package wire

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Canonical returns raw, valid JSON, in canonical form: members are sorted, strings have the fewest escapes, and equal
// numbers such as 1, 1.0 and 10e-1 are written identically. Unequal numbers stay different even if they are the same
// float64. For empty text and null it returns an empty object.
func Canonical(raw []byte) []byte {
	if kind := rawjson.KindOf(raw); kind == rawjson.Invalid || kind == rawjson.Null {
		return []byte("{}")
	}
	v := jsontext.Value(canonicalNumbers(raw))
	if v.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
		return raw
	}
	return v
}

// canonicalNumbers returns a copy of raw, which is valid JSON, with its numbers in canonical form.
func canonicalNumbers(raw []byte) []byte {
	dst := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		start := i
		switch c := raw[i]; {
		case c == '"':
			for i++; raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			i++
			dst = append(dst, raw[start:i]...)
		case c == '-' || c >= '0' && c <= '9':
			for i < len(raw) && bytes.IndexByte([]byte("+-.0123456789eE"), raw[i]) >= 0 {
				i++
			}
			dst = appendCanonicalNumber(dst, raw[start:i])
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

// appendCanonicalNumber appends a number as its significant digits, without a decimal point, and an exponent unless
// that is 0. A number whose exponent does not fit an int32 is not changed.
func appendCanonicalNumber(dst, raw []byte) []byte {
	mantissa, exponent := raw, int64(0)
	if i := bytes.IndexAny(raw, "eE"); i >= 0 {
		var err error
		if exponent, err = strconv.ParseInt(string(raw[i+1:]), 10, 32); err != nil {
			return append(dst, raw...)
		}
		mantissa = raw[:i]
	}
	mantissa, isNegative := bytes.CutPrefix(mantissa, []byte("-"))
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	digits := append(bytes.Clone(whole), fraction...)
	exponent -= int64(len(fraction))
	significant := bytes.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(significant))
	significant = bytes.TrimLeft(significant, "0")
	if len(significant) == 0 {
		return append(dst, '0')
	}
	if isNegative {
		dst = append(dst, '-')
	}
	dst = append(dst, significant...)
	if exponent != 0 {
		dst = strconv.AppendInt(append(dst, 'e'), exponent, 10)
	}
	return dst
}
