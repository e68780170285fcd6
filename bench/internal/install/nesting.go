package install

import (
	"bytes"
	"fmt"
)

// maxNesting is the maximum depth of nested values in a file, and the maximum number of dots in a TOML key. The parsers
// have no limit and overflow the stack. In TOML, the depth is at most the product of both.
const maxNesting = 200

// A syntax is the part of a format that is needed to count nested values.
type syntax struct {
	opaque []opaque
	dotted bool // dots in keys nest values
}

// opaque is text without nested values: a string or a comment.
type opaque struct {
	open, end string
	escapes   bool // a backslash escapes the next character
}

var (
	jsonSyntax = &syntax{opaque: []opaque{{`"`, `"`, true}, {"//", "\n", false}, {"/*", "*/", false}}}
	tomlSyntax = &syntax{
		opaque: []opaque{{`"""`, `"""`, true}, {`'''`, `'''`, false}, {`"`, `"`, true}, {`'`, `'`, false}, {"#", "\n", false}},
		dotted: true,
	}
)

// checkNesting returns an error for values that are nested too deeply. It does not check anything else.
func (s *syntax) checkNesting(text []byte) error {
	depth, dots := 0, 0
	for i := 0; i < len(text); i++ {
		if n := s.opaqueLen(text[i:]); n > 0 {
			i += n - 1
			if text[i] == '\n' {
				dots = 0 // a comment ends the line
			}
			continue
		}
		switch text[i] {
		case '[', '{':
			depth, dots = depth+1, 0
		case ']', '}':
			depth, dots = depth-1, 0
		case '=', ',', '\n':
			dots = 0
		case '.':
			dots++
		}
		switch {
		case depth > maxNesting:
			return errorAt(text, i, fmt.Sprintf("more than %d nested values", maxNesting))
		case dots > maxNesting && s.dotted:
			return errorAt(text, i, fmt.Sprintf("a key with more than %d dots", maxNesting))
		}
	}
	return nil
}

// opaqueLen returns the length of the string or the comment at the beginning of text; 0 if there is none. An unfinished
// one, which is an error for the parser, extends to the end.
func (s *syntax) opaqueLen(text []byte) int {
	for _, o := range s.opaque {
		if !bytes.HasPrefix(text, []byte(o.open)) {
			continue
		}
		for i := len(o.open); i < len(text); i++ {
			switch {
			case o.escapes && text[i] == '\\':
				i++
			case bytes.HasPrefix(text[i:], []byte(o.end)):
				i += len(o.end)
				for more := 0; len(o.end) == 3 && more < 2 && i < len(text) && text[i] == o.end[0]; more++ {
					i++ // a multi-line string may end with quotes
				}
				return i
			}
		}
		return len(text)
	}
	return 0
}
