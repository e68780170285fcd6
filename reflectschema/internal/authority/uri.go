package authority

import (
	"cmp"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Characters of RFC 3986 besides letters, digits and percent-encoded bytes.
const (
	hostCharacters     = "-._~!$&'()*+,;=" // unreserved and sub-delims
	userinfoCharacters = hostCharacters + ":"
	pathCharacters     = userinfoCharacters + "@/"
	queryCharacters    = pathCharacters + "?" // also of a fragment
)

// templateCharacters are the characters of the literals of RFC 6570, section 2.1, and the apostrophe, which erratum 6937 adds.
const templateCharacters = queryCharacters + "#[]"

// checkURI checks a URI of RFC 3986, or the reference to one if isRelative is set. IsLetter reports which characters beyond
// ASCII are allowed, as RFC 3987 does for an IRI; nil allows none.
func checkURI(text string, isRelative bool, isLetter func(rune) bool) error {
	rest, fragment, _ := strings.Cut(text, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if i := strings.IndexAny(rest, ":/"); i >= 0 && rest[i] == ':' {
		if !isScheme(rest[:i]) {
			return errors.New("which has a colon that does not follow a scheme, such as https")
		}
		rest = rest[i+1:]
	} else if !isRelative {
		return errors.New("which has no scheme")
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		end := strings.IndexByte(after, '/')
		if end < 0 {
			end = len(after)
		}
		if err := checkHost(after[:end], isLetter); err != nil {
			return err
		}
		rest = after[end:]
	}
	inQuery := isLetter
	if isLetter != nil {
		inQuery = isTemplateLetter
	}
	return cmp.Or(
		checkCharacters(rest, pathCharacters, isLetter),
		checkCharacters(query, queryCharacters, inQuery),
		checkCharacters(fragment, queryCharacters, isLetter),
	)
}

// isScheme reports whether text is a scheme (RFC 3986, section 3.1).
func isScheme(text string) bool {
	for i, c := range []byte(text) {
		isLetter := (c|0x20)-'a' < 26
		if !isLetter && (i == 0 || c-'0' > 9 && strings.IndexByte("+-.", c) < 0) {
			return false
		}
	}
	return text != ""
}

// checkHost checks a host with its user information and port (RFC 3986, section 3.2).
func checkHost(text string, isLetter func(rune) bool) error {
	if i := strings.LastIndexByte(text, '@'); i >= 0 {
		if err := checkCharacters(text[:i], userinfoCharacters, isLetter); err != nil {
			return err
		}
		text = text[i+1:]
	}
	host, port, hasPort := strings.Cut(text, ":")
	if literal, ok := strings.CutPrefix(text, "["); ok {
		literal, after, closed := strings.Cut(literal, "]")
		if !closed || !isIPLiteral(literal) {
			return errors.New("whose brackets do not enclose an IPv6 address")
		}
		host, port, hasPort = strings.Cut(after, ":")
		if host != "" {
			return errors.New("which has text after the address in brackets")
		}
	}
	if hasPort && rawjson.DigitsEnd([]byte(port), 0) != len(port) {
		return errors.New("whose port is not a number")
	}
	return checkCharacters(host, hostCharacters, isLetter)
}

// isIPLiteral reports whether text is an address that a URI has in brackets.
func isIPLiteral(text string) bool {
	if text != "" && text[0]|0x20 == 'v' { // a future version of IP
		version, address, _ := strings.Cut(text[1:], ".")
		isVersion := version != "" && strings.Trim(version, "0123456789abcdefABCDEF") == ""
		return isVersion && address != "" && !strings.Contains(address, "%") && checkCharacters(address, userinfoCharacters, nil) == nil
	}
	a, err := netip.ParseAddr(text)
	return err == nil && a.Is6() && a.Zone() == ""
}

// checkCharacters checks that text consists of ASCII letters and digits, percent-encoded bytes, the characters in allowed,
// and those beyond ASCII that isLetter, unless it is nil, reports.
func checkCharacters(text, allowed string, isLetter func(rune) bool) error {
	for i := 0; i < len(text); {
		c, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case c == '%':
			if size = len("%00"); len(text)-i < size || !isHex(text[i+1]) || !isHex(text[i+2]) {
				return errors.New("which has a % that two hexadecimal digits do not follow")
			}
		case c < utf8.RuneSelf && !isAlphanumeric(byte(c)) && strings.IndexByte(allowed, byte(c)) < 0, //nolint:gosec // ASCII
			c >= utf8.RuneSelf && (isLetter == nil || !isLetter(c)):
			return fmt.Errorf("which contains %q", c)
		}
		i += size
	}
	return nil
}

func isAlphanumeric(c byte) bool { return c-'0' <= 9 || (c|0x20)-'a' < 26 }

func isHex(c byte) bool { return c-'0' <= 9 || (c|0x20)-'a' < 6 }

// isIRILetter reports whether RFC 3987 allows a character beyond ASCII in an IRI (ucschar).
func isIRILetter(c rune) bool {
	if c < 0x10000 {
		return c >= 0xA0 && c < 0xE000 || c >= 0xF900 && c <= 0xFDCF || c >= 0xFDF0 && c <= 0xFFEF
	}
	return c < 0xF0000 && c&0xFFFF <= 0xFFFD && c&^0xFFF != 0xE0000
}

// isTemplateLetter reports whether RFC 6570 allows a character beyond ASCII in a template: ucschar or iprivate of RFC 3987,
// as in the query of an IRI.
func isTemplateLetter(c rune) bool {
	return isIRILetter(c) || c >= 0xE000 && c <= 0xF8FF || c >= 0xF0000 && c&0xFFFF <= 0xFFFD
}

// expression matches what RFC 6570, section 2.2, allows between braces. The operators that it reserves are allowed.
var expression = sync.OnceValue(func() *regexp.Regexp {
	const (
		character = `(?:\w|%[0-9A-Fa-f]{2})`
		variable  = character + `(?:\.?` + character + `)*(?::[1-9][0-9]{0,3}|\*)?`
	)
	return regexp.MustCompile(`^[+#./;?&=,!@|]?` + variable + `(?:,` + variable + `)*$`)
})

// checkTemplate checks a URI template of RFC 6570.
func checkTemplate(text string) error {
	for {
		begin := strings.IndexAny(text, "{}")
		if begin < 0 {
			return checkCharacters(text, templateCharacters, isTemplateLetter)
		}
		if err := checkCharacters(text[:begin], templateCharacters, isTemplateLetter); err != nil {
			return err
		}
		inner, after, closed := strings.Cut(text[begin+1:], "}")
		if text[begin] == '}' || !closed {
			return errors.New("which has a brace without its counterpart")
		}
		if !expression().MatchString(inner) {
			return errors.New("whose braces do not enclose names of variables, as in {id} or {?page,size}")
		}
		text = after
	}
}
