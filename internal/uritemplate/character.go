package uritemplate

import "strings"

// set is a set of characters; each constant is one bit. A variable has a set of raw characters; all others are
// percent-encoded in its value. No character may be written both ways, so each value has exactly one encoded form.
type set uint8

const (
	unreserved   set = 1 << iota // RFC 3986, 2.3; raw in {var}, {?var} and {&var}
	inPath                       // raw in {+var} in a path; without "?" and "#", which end it
	inQuery                      // raw in {+var} in a query; with "?", without "&", which ends the value
	inFragment                   // raw in {+var} in a fragment, and in {#var}
	inURI                        // allowed in a URI
	alphanumeric                 // ASCII letters and digits
	inName                       // allowed in the name of a variable
)

// sets are the sets that contain each byte. Brackets are not raw in {+var}, unlike in RFC 6570, because RFC 3986 allows
// them only around IP addresses.
var sets = func() (sets [256]set) {
	add := func(characters string, to set) {
		for i := range len(characters) {
			sets[characters[i]] |= to
		}
	}
	everywhere := unreserved | inPath | inQuery | inFragment | inURI
	add("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", everywhere|alphanumeric|inName)
	add("-.~", everywhere)
	add("_", everywhere|inName)
	add("/:@!$'()*+,;=", inPath|inQuery|inFragment|inURI)
	add("&", inPath|inFragment|inURI)
	add("?", inQuery|inFragment|inURI)
	add("#[]", inURI)
	return sets
}()

func (s set) has(c byte) bool { return sets[c]&s != 0 }

const hexDigits = "0123456789ABCDEF"

// encode appends text with the characters that are not in raw percent-encoded.
func encode(b []byte, text string, raw set) []byte {
	for i := range len(text) {
		if c := text[i]; raw.has(c) {
			b = append(b, c)
		} else {
			b = append(b, '%', hexDigits[c>>4], hexDigits[c&15])
		}
	}
	return b
}

// decode is the inverse of encode. It reports false if encode cannot have returned s, which must be in normal form.
func decode(s string, raw set) (text string, ok bool) {
	encoded := 0
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			if !raw.has(s[i]) {
				return "", false
			}
			continue
		}
		if raw.has(unhex(s[i+1])<<4 | unhex(s[i+2])) {
			return "", false
		}
		encoded++
		i += 2
	}
	if encoded == 0 {
		return s, true
	}
	b := make([]byte, 0, len(s)-2*encoded)
	for i := 0; i < len(s); i++ {
		if s[i] != '%' {
			b = append(b, s[i])
			continue
		}
		b = append(b, unhex(s[i+1])<<4|unhex(s[i+2]))
		i += 2
	}
	return string(b), true
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// isTriplet reports whether s begins with a percent-encoded byte.
func isTriplet(s string) bool {
	return len(s) >= 3 && s[0] == '%' && isHex(s[1]) && isHex(s[2])
}

// Normalize returns the normal form of a URI: hexadecimal digits of percent-encoded bytes are upper case, and
// unreserved characters are not percent-encoded (RFC 3986, 6.2.2.1 and 6.2.2.2). It reports false if uri has characters
// that RFC 3986 does not allow, or a "%" without two hexadecimal digits. It does not copy a URI that is in normal form.
// It changes neither the case of scheme and host, nor dot segments.
func Normalize(uri string) (normal string, ok bool) {
	same := true
	for i := 0; i < len(uri); i++ {
		switch {
		case inURI.has(uri[i]):
		case isTriplet(uri[i:]):
			same = same && uri[i+1] < 'a' && uri[i+2] < 'a' && !unreserved.has(unhex(uri[i+1])<<4|unhex(uri[i+2]))
			i += 2
		default:
			return "", false
		}
	}
	if same {
		return uri, true
	}
	b := make([]byte, 0, len(uri))
	for i := 0; i < len(uri); i++ {
		if uri[i] != '%' {
			b = append(b, uri[i])
			continue
		}
		c := unhex(uri[i+1])<<4 | unhex(uri[i+2])
		b = encode(b, string([]byte{c}), unreserved)
		i += 2
	}
	return string(b), true
}

// isControl reports whether r is a control character: C0, DEL or C1.
func isControl(r rune) bool { return r < ' ' || 0x7f <= r && r < 0xa0 }

// plain decodes all percent-encoded bytes of a literal in normal form.
func plain(literal string) string {
	var b strings.Builder
	for i := 0; i < len(literal); i++ {
		if literal[i] != '%' {
			b.WriteByte(literal[i])
			continue
		}
		b.WriteByte(unhex(literal[i+1])<<4 | unhex(literal[i+2]))
		i += 2
	}
	return b.String()
}
