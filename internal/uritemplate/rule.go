package uritemplate

import "unicode/utf8"

// rule decides which decoded values a variable may have. Match, Expand and Overlaps all use it. It protects authors
// whose funcs do os.Open(filepath.Join(root, in.Name)) with what a client has sent:
//
//   - Every value is valid UTF-8 without control characters: C code ends a name at NUL, and a line break forges a log line.
//   - A segment, {var} in the path, has no "/" and no "\", although RFC 6570 encodes them as %2F and %5C: the author expects
//     one path element, and proxies and clients do not agree on %2F. {+var} is for values with slashes. "." and ".." are other
//     directories.
//   - Segments, {+var} in the path, are separated by "/". None is ".", "..", or empty, or has a "\", which separates directories
//     on Windows. With an empty segment ("a//b", "a/") a file would have a second name, and a check of the value against a list
//     of forbidden files would miss it. The value may begin with "/" unless the literal before it ends with "/" or ".",
//     which would make an empty segment or a dot segment of the URI.
//   - A text, any variable in the query or the fragment, may have "/" and "\", but not ".." as an element between them.
//
// These rules do not replace os.Root: symbolic links, reserved names of Windows ("NUL", "C:") and case remain.
type rule struct {
	what     content
	mayBegin bool // segments may begin with "/"
	mayEmpty bool // a text may be empty
}

// content is what a value is.
type content uint8

const (
	segment content = iota
	segments
	text
)

// progress is the state between two characters of a value.
type progress uint8

const (
	atBegin progress = iota // of the value
	atSlash                 // at the begin of another segment
	oneDot                  // the segment is "." up to here
	twoDots
	other
)

// step returns the progress after a character, or why the value is refused.
func (r rule) step(p progress, c rune) (next progress, wrong string) {
	switch {
	case isControl(c):
		return p, "has a control character"
	case c == '.':
		return p.dot(), ""
	case c == '\\' && r.what != text:
		return p, `has a "\", which separates directories on some systems`
	case c == '/' && r.what == segment:
		return p, `has a "/", which only {+var} may have`
	case c != '/' && c != '\\':
		return other, ""
	case r.what == segments && p == atBegin && !r.mayBegin:
		return p, `begins with "/", and would make an empty or a dot segment with the text before it`
	case r.what == segments && p == atBegin:
		return atSlash, ""
	default:
		if wrong = r.end(p); wrong != "" && p != atBegin {
			return p, wrong
		}
		return atSlash, ""
	}
}

func (p progress) dot() progress {
	switch p {
	case atBegin, atSlash:
		return oneDot
	case oneDot:
		return twoDots
	default:
		return other
	}
}

// end returns why a value, or a segment of it, that ends here is refused; "" if it is not.
func (r rule) end(p progress) (wrong string) {
	switch {
	case p == atBegin && !r.mayEmpty:
		return "is empty"
	case p == atSlash && r.what == segments:
		return "has an empty segment"
	case p == twoDots:
		return `is ".." or has it as a segment`
	case p == oneDot && r.what != text:
		return `is "." or has it as a segment`
	default:
		return ""
	}
}

// check returns why a value is refused, as the rest of a sentence, "" if it is not.
func (r rule) check(value string) (wrong string) {
	if !utf8.ValidString(value) {
		return "is not valid UTF-8"
	}
	p := atBegin
	for _, c := range value {
		if alphanumericOrWide(c) {
			p = other // as step, which takes longer
			continue
		}
		if p, wrong = r.step(p, c); wrong != "" {
			return wrong
		}
	}
	return r.end(p)
}

// alphanumericOrWide reports whether no rule treats c specially.
func alphanumericOrWide(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c >= 0xa0
}
