package uritemplate

import "unicode/utf8"

// rule determines which decoded values a variable may have. Match, Expand and Overlaps all use it. It protects
// functions that pass a value from a client to os.Open(filepath.Join(root, in.Name)):
//
//   - Every value is valid UTF-8 without control characters: C code ends a name at NUL, and a line break can forge a
//     line in a log.
//   - A segment, {var} in the path, has no "/" and no "\", although RFC 6570 encodes them as %2F and %5C: the function
//     expects one path element, and proxies and clients treat %2F differently. {+var} is for values with slashes. "."
//     and ".." are not allowed because they are other directories.
//   - Segments, {+var} in the path, are separated by "/". None may be ".", "..", or empty, or have a "\", which
//     separates directories on Windows. An empty segment ("a//b", "a/") would give a file a second name, which a check
//     against a list of forbidden files would miss. The value may begin with "/" unless the literal before it ends with
//     "/" or ".", because the URI would then have an empty segment or a dot segment.
//   - A text, any variable in the query or the fragment, may have "/" and "\", but not ".." as an element between them.
//
// These rules do not replace os.Root: they do not cover symbolic links, reserved names of Windows ("NUL", "C:"), and
// case.
type rule struct {
	what     content
	mayBegin bool // segments may begin with "/"
	mayEmpty bool // a text may be empty
}

// content is the kind of a value.
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
	atSlash                 // at the beginning of a later segment
	oneDot                  // the segment so far is "."
	twoDots                 // the segment so far is ".."
	other
)

// step returns the progress after the character c. If c is not allowed, wrong is the reason, as in check.
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

// end returns the reason if the value, or a segment of it, must not end at p, as in check; "" if it may.
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

// check returns the reason if a value is not allowed, a phrase that follows the name of the variable; "" if it is
// allowed.
func (r rule) check(value string) (wrong string) {
	if !utf8.ValidString(value) {
		return "is not valid UTF-8"
	}
	p := atBegin
	for _, c := range value {
		if alphanumericOrWide(c) {
			p = other // same as step, but faster
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
