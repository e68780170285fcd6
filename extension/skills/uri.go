package skills

import (
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// scheme is the beginning of all URIs.
const scheme = "skill://"

// maxFileName is the maximum length of the name of a file or directory, in bytes: hosts write skills to disk.
const maxFileName = 255

// uriOf returns the URI of a file or directory.
func uriOf(name string) string {
	elements := strings.Split(name, "/")
	for i, e := range elements {
		elements[i] = url.PathEscape(e)
	}
	return scheme + strings.Join(elements, "/")
}

// nameProblem returns why a file with this path cannot be served; "" if it can.
func nameProblem(name string) string {
	for element := range strings.SplitSeq(name, "/") {
		switch {
		case !utf8.ValidString(element):
			return "the name is not UTF-8"
		case strings.ContainsFunc(element, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }):
			return "the name has an invisible character"
		case strings.ContainsAny(element, `\:*?"<>|`):
			return `the name has one of \ : * ? " < > |, which not all file systems allow`
		case strings.HasSuffix(element, " "), strings.HasPrefix(element, " "), strings.HasSuffix(element, "."):
			return "the name ends or begins with a space, or ends with a dot, which not all file systems allow"
		case len(element) > maxFileName:
			return "the name has more than " + strconv.Itoa(maxFileName) + " bytes"
		}
	}
	return ""
}

// isRegName reports whether the first element of a path can be the host of a URI. Hosts are compared without regard to
// case, so upper case is not allowed.
func isRegName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("-._~", r)
	})
}

// show returns a path for a message.
func show(name string) string {
	if name == "." {
		return "the tree"
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(name)
	}
	return name
}
