package uritemplate

import "unicode/utf8"

// rule says which values a variable may have. Match and Expand refuse the same ones, in one place, and [Template.Overlaps]
// runs the same states. A server hands what a client sends to funcs of authors, who do os.Open(filepath.Join(root, in.Name)):
//
//   - Each value is UTF-8 without control characters: NUL cuts a name short in C, and a line break forges a line of a log.
//   - Of a segment, {var} in a path, "/" and "\" are refused although RFC 6570 encodes "/" as %2F: the author has written a
//     template of one segment, and joins the value to a path. Proxies and clients differ about %2F, too. "." and ".." name
//     other directories. {+var} is for values with slashes.
//   - Of segments, {+var} in a path, none is ".", "..", or empty, and none has a "\", which separates directories on Windows.
//     An empty one ("a//b", "a/") is a second name of the same file, which a comparison with a list of what is forbidden
//     does not find. The value may begin with one "/" if the text before it is not "/" already, so that no "//" results.
//   - Of a text, in a query or a fragment, "/" and "\" are usual, and refused is only ".." between them, or alone.
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

// progress is what matters of the part of a value before a character.
type progress uint8

const (
	atBegin progress = iota // of the value
	atSlash                 // at the begin of another segment
	oneDot                  // the segment is "." up to here
	twoDots
	other
)

// step returns the progress after a character, or what is wrong with it.
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

// end returns what is wrong with a value, or a segment of it, that ends here.
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

// check returns what is wrong with a value, "" if nothing.
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

// alphanumericOrWide reports whether c is a character that is the same to every rule.
func alphanumericOrWide(c rune) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c >= 0xa0
}
