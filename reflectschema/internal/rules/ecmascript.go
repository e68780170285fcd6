package rules

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// A Difference is a part of a regular expression that has a different meaning, or none, in ECMAScript with the u flag,
// which the validators of most clients use, than in Go (RE2).
type Difference struct{ Reason, Fix string }

// NotECMA returns the first difference in a pattern that is valid in Go, nil if there is none.
func NotECMA(pattern string) *Difference { return (&patternScan{pattern: pattern}).run() }

// A patternScan searches a pattern that is valid in RE2 for syntax that
// ECMAScript does not have.
type patternScan struct {
	pattern string
	pos     int
	inClass bool
}

// escapes are the letters that have the same meaning after a backslash in both.
const escapes = "dDsSwWbBfnrtvpPx"

// identity are the characters that a backslash can escape in ECMAScript.
const identity = `^$\.*+?()[]{}|/`

func (s *patternScan) run() *Difference {
	for s.pos = 0; s.pos < len(s.pattern); s.pos++ {
		rest := s.pattern[s.pos:]
		var f *Difference
		switch c := rest[0]; {
		case c == '\\':
			f = s.escape(rest)
		case s.inClass:
			f = s.class(rest)
		case c == '[':
			f = s.open(rest)
		case strings.HasPrefix(rest, "(?"):
			f = group(rest)
		case c == '{':
			f = s.brace(rest)
		case c == '}' || c == ']':
			f = onlyRE2(fmt.Sprintf("a lone %c", c), fmt.Sprintf(`write \\%c`, c))
		}
		if f != nil {
			return f
		}
	}
	return nil
}

func onlyRE2(what, fix string) *Difference {
	return &Difference{Reason: "the regular expressions of clients (ECMAScript) do not have " + what, Fix: fix}
}

func (s *patternScan) escape(rest string) *Difference {
	c := rest[1] // RE2 does not accept a backslash at the end
	s.pos++
	switch {
	case strings.IndexByte(identity, c) >= 0, s.inClass && c == '-':
		return nil
	case c == 'x' && strings.HasPrefix(rest, `\x{`):
		return onlyRE2(`\x{…}`, "write the character itself")
	case (c == 'p' || c == 'P') && !strings.HasPrefix(rest[2:], "{"):
		return onlyRE2(rest[:min(3, len(rest))], fmt.Sprintf(`write \\%c{%s}`, c, rest[2:min(3, len(rest))]))
	case c == 'p' || c == 'P':
		s.pos += strings.IndexByte(rest, '}') - 1
		return nil
	case c == 'A':
		return onlyRE2(`\A`, "write ^")
	case c == 'z':
		return onlyRE2(`\z`, "write $")
	case strings.IndexByte(escapes, c) < 0 || (s.inClass && (c == 'b' || c == 'B')):
		return onlyRE2(rest[:2], "write the character without the backslash, or the class in full")
	}
	return nil
}

func (s *patternScan) open(rest string) *Difference {
	s.inClass = true
	rest = strings.TrimPrefix(rest[1:], "^")
	if strings.HasPrefix(rest, "]") {
		return onlyRE2("a class that starts with ]", `write \\]`)
	}
	return nil
}

func (s *patternScan) class(rest string) *Difference {
	switch {
	case strings.HasPrefix(rest, "[:"):
		return onlyRE2("[[:…:]]", `write the class in full, like [A-Za-z], or \\p{L}`)
	case rest[0] == ']':
		s.inClass = false
	}
	return nil
}

// group checks a group that begins with "(?".
func group(rest string) *Difference {
	switch {
	case strings.HasPrefix(rest, "(?:"), strings.HasPrefix(rest, "(?<"):
		return nil
	case strings.HasPrefix(rest, "(?P<"):
		return onlyRE2("(?P<name>", "write (?<name>")
	}
	return onlyRE2("flags like (?i)", "spell the letters out, like [Aa]")
}

var repetition = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\{[0-9]+(,[0-9]*)?\}`) })

func (s *patternScan) brace(rest string) *Difference {
	if m := repetition().FindString(rest); m != "" {
		s.pos += len(m) - 1
		return nil
	}
	return onlyRE2("a lone {", `write \\{; if a comma cut the pattern short, write it \\,`)
}
