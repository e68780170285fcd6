package uritemplate

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	// reserved are the characters of a URI that are not unreserved (RFC 3986, 2.2).
	reserved = rawInPath + "?#[]"
	// rawInPath are the reserved characters that {+var} in a path does not encode: without "?" and "#", which end the
	// path, and brackets, which RFC 3986 allows only around IP addresses, unlike RFC 6570.
	rawInPath = "/:@!$&'()*+,;="
	// rawInQuery is rawInPath in a query, where "&" ends the value.
	rawInQuery = "/:@!$'()*+,;=?"
)

// isUnreserved reports whether c is an unreserved character (RFC 3986, 2.3).
func isUnreserved(c byte) bool { return isAlphanumeric(c) || strings.IndexByte("-._~", c) >= 0 }

// isAlphanumeric reports whether c is an ASCII letter or digit.
func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// encode percent-encodes a text, except unreserved characters and those in raw.
func encode(text, raw string) string {
	if !strings.ContainsFunc(text, func(c rune) bool {
		return c >= utf8.RuneSelf || !isUnreserved(byte(c)) && !strings.ContainsRune(raw, c) //nolint:gosec // it is ASCII here
	}) {
		return text
	}
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; isUnreserved(c) || strings.IndexByte(raw, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// encodedByte returns the byte that is percent-encoded at the beginning of s, if one is.
func encodedByte(s string) (c byte, ok bool) {
	if len(s) < len("%00") || s[0] != '%' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:3], 16, 8)
	return byte(n), err == nil
}

// MaxURI is the maximum length of a URI in bytes. Longer ones match no template, because matching takes some 100 ns for
// each byte.
const MaxURI = 64 << 10

// Normalize returns the normal form of a URI: hexadecimal digits of percent-encoded bytes are upper case, and
// unreserved characters are not percent-encoded (RFC 3986, 6.2.2.1 and 6.2.2.2). It reports false if uri is longer than
// [MaxURI], has characters that RFC 3986 does not allow, or a "%" without two hexadecimal digits. It does not copy a URI
// without percent-encoded bytes. It changes neither the case of scheme and host, nor dot segments.
func Normalize(uri string) (normal string, ok bool) {
	if len(uri) > MaxURI {
		return "", false
	}
	var b strings.Builder
	copied := 0 // uri[:copied] is in b
	for i := 0; i < len(uri); i++ {
		if isUnreserved(uri[i]) || strings.IndexByte(reserved, uri[i]) >= 0 {
			continue
		}
		c, ok := encodedByte(uri[i:])
		if !ok {
			return "", false
		}
		b.WriteString(uri[copied:i])
		b.WriteString(encode(string([]byte{c}), ""))
		copied = i + len("%00")
		i = copied - 1
	}
	if copied == 0 {
		return uri, true
	}
	b.WriteString(uri[copied:])
	return b.String(), true
}
