package rawjson

import "strings"

// Control characters of terminals (ECMA-48).
const (
	bell       = 0x07
	cancel     = 0x18
	substitute = 0x1a
	esc        = 0x1b
	c1         = 0xc2 // the first byte of the characters U+0080 to U+009F, each of which stands for ESC and another character
)

// StripTerminal returns text without what only a terminal interprets:
//
//   - escape sequences: colours, movements of the cursor, titles, and the addresses of hyperlinks, whose text stays. A
//     sequence without its end extends to the first character that cannot belong to it. A control string, such as a
//     title, has no such character before the next sequence or the end of the line;
//   - the states of a line that a later one overwrites, such as progress: of text with "\r" only the part after the last
//     one remains, unless nothing follows it in the line. "\r\n" is the end of a line.
//
// If a sequence is removed or a line overwritten, U+FFFD replaces invalid UTF-8, so that removing a sequence cannot form
// a character of the bytes around it. Text without such characters is returned as it is, without an allocation. The time
// is linear.
func StripTerminal(text string) string {
	if !hasTerminal(text) {
		return text
	}
	text = ValidUTF8(text)
	out := make([]byte, 0, len(text))
	line := 0 // offset of the current line in out
	for i := 0; i < len(text); {
		if end := sequenceEnd(text, i); end > i {
			i = end
			continue
		}
		c := text[i]
		i++
		isOverwritten := len(out) > line && out[len(out)-1] == '\r'
		switch {
		case c == '\n':
			line = len(out) + 1
		case isOverwritten:
			if c == '\r' {
				continue
			}
			out = out[:line]
		}
		out = append(out, c)
	}
	if n := len(out); n > line && out[n-1] == '\r' {
		out = out[:n-1]
	}
	return string(out)
}

// Clean returns the text as [StripTerminal] does, without what redact removes; nil removes nothing. Both the text and the
// stripped text are redacted: a sequence may divide a secret, and removing one may cut a secret.
func Clean(text string, redact func(string) string) string {
	if redact == nil || text == "" {
		return StripTerminal(text)
	}
	text = redact(text)
	stripped := StripTerminal(text)
	if stripped == text || stripped == "" {
		return stripped
	}
	return redact(stripped)
}

// hasTerminal reports whether StripTerminal changes a valid text.
func hasTerminal(text string) bool {
	if strings.IndexByte(text, esc) >= 0 {
		return true
	}
	for rest := text; ; {
		i := strings.IndexByte(rest, '\r')
		if i < 0 {
			break
		}
		if rest = rest[i+1:]; !strings.HasPrefix(rest, "\n") {
			return true
		}
	}
	for rest := text; ; {
		i := strings.IndexByte(rest, c1)
		if i < 0 {
			return false
		}
		if rest = rest[i+1:]; rest != "" && isIntroducer(rest[0]) {
			return true
		}
	}
}

// isIntroducer reports whether the character whose bytes are c1 and b begins or ends a sequence.
func isIntroducer(b byte) bool {
	return 0x80 <= b && b < 0xa0 && strings.IndexByte(`P[\]X^_`, b-0x40) >= 0
}

// sequenceEnd returns the offset after the sequence at i; i if there is none.
func sequenceEnd(text string, i int) int {
	var introducer byte
	switch {
	case text[i] == esc && i+1 == len(text):
		return i + 1
	case text[i] == esc:
		introducer = text[i+1]
	case text[i] == c1 && isIntroducer(text[i+1]): // text is valid
		introducer = text[i+1] - 0x40
	default:
		return i
	}
	switch introducer {
	case '[': // parameters, intermediate characters, a final one
		return finalEnd(text, spanEnd(text, spanEnd(text, i+2, '0', '?'), ' ', '/'), '@')
	case 'P', 'X', ']', '^', '_':
		return controlStringEnd(text, i+2)
	case '\\':
		return i + 2
	default:
		return finalEnd(text, spanEnd(text, i+1, ' ', '/'), '0')
	}
}

// spanEnd returns the offset of the first byte at or after i that is not between low and high.
func spanEnd(text string, i int, low, high byte) int {
	for i < len(text) && low <= text[i] && text[i] <= high {
		i++
	}
	return i
}

// finalEnd returns the offset after the final character of a sequence, which is not below low; i if there is none.
func finalEnd(text string, i int, low byte) int {
	if i < len(text) && low <= text[i] && text[i] <= '~' {
		i++
	}
	return i
}

// controlStringEnd returns the offset after the control string with the content at i.
func controlStringEnd(text string, i int) int {
	for ; i < len(text); i++ {
		switch text[i] {
		case bell, cancel, substitute:
			return i + 1
		case esc:
			if strings.HasPrefix(text[i+1:], `\`) {
				return i + 2
			}
			return i
		case c1:
			if text[i+1] == 0x9c { // text is valid
				return i + 2
			}
		case '\r', '\n':
			return i
		}
	}
	return i
}
