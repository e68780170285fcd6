package rawjson

import (
	"unicode"
	"unicode/utf8"
)

// AppendText appends text as a JSON string, sanitized for models and for people who read it in a terminal or a chat.
// Escape sequences and overwritten lines are removed, see [StripTerminal]. U+FFFD replaces every other invisible
// character that changes how the text around it is displayed or read, or that hides text:
//
//   - control characters except tab and the line ends "\n" and "\r\n" (C0, DEL, C1);
//   - characters that set the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069), which make
//     a terminal display text in another order than models read it. In text most of whose letters are written from right
//     to left, marks and isolates are kept, but not embeddings and overrides (U+202A to U+202E);
//   - tags, U+E0000 to U+E007F: invisible ASCII, which models read. Three flag emoji use them; without them, they are
//     displayed as a black flag;
//   - other zero-width characters, such as U+FEFF, U+2060, Hangul fillers, and variation selectors. Scripts and emoji
//     need some of them: one joiner or selector is kept after a character that it applies to (see applies), so that a
//     sequence of them cannot hide text.
//
// Invalid UTF-8 is replaced by U+FFFD as well. Appending the decoded output again appends the same output.
func AppendText(dst []byte, text string) []byte {
	return appendString(dst, StripTerminal(text), &harmless)
}

// IsHarmless reports whether [AppendText] would write the decoded string exactly as in quoted, which must be a valid
// JSON string. False is inconclusive: the caller has to decode the string.
func IsHarmless(quoted []byte) bool {
	for i := 0; i < len(quoted); {
		switch b := quoted[i]; {
		case b == '\\':
			if next := quoted[i+1]; next != 'n' && next != 't' && next != '"' && next != '\\' {
				return false
			}
			i += 2
		case b < utf8.RuneSelf:
			if b == 0x7f {
				return false
			}
			i++
		default:
			r, n := utf8.DecodeRune(quoted[i:])
			if unicode.Is(invisible, r) { // inconclusive: Text may keep it
				return false
			}
			i += n
		}
	}
	return true
}

// replaced is the entry in a table of escapes for a character that is replaced by U+FFFD.
const replaced = 'x'

// harmless is the table of escapes for AppendText.
var harmless = func() [utf8.RuneSelf]byte {
	t := escapes
	for c := range t {
		if (c < ' ' || c == 0x7f) && c != '\t' && c != '\n' {
			t[c] = replaced
		}
	}
	return t
}()

// invisible is the set of non-ASCII characters that AppendText replaces, except where applies allows them.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x0080, 0x009f, 1}, // C1
		{0x034f, 0x034f, 1}, // combining grapheme joiner
		{0x061c, 0x061c, 1}, // Arabic letter mark
		{0x115f, 0x1160, 1}, // Hangul fillers
		{0x17b4, 0x17b5, 1}, // Khmer inherent vowels
		{0x180b, 0x180f, 1}, // Mongolian selectors and vowel separator
		{0x200b, 0x200f, 1}, // space and joiners of no width, direction marks
		{0x202a, 0x202e, 1}, // direction
		{0x2060, 0x206f, 1}, // word joiner, invisible operators, direction, deprecated controls
		{0x3164, 0x3164, 1}, // Hangul filler
		{0xfe00, 0xfe0f, 1}, // variation selectors
		{0xfeff, 0xfeff, 1}, // byte order mark
		{0xffa0, 0xffa0, 1}, // Hangul filler
		{0xfff0, 0xfffb, 1}, // unassigned, interlinear annotations
	},
	R32: []unicode.Range32{
		{0x1bca0, 0x1bca3, 1}, // shorthand controls
		{0x1d173, 0x1d17a, 1}, // musical controls
		{0xe0000, 0xe0fff, 1}, // tags, variation selectors, unassigned
	},
}

// isHarmful reports whether AppendText replaces r, a non-ASCII character that follows before. For a mark or isolate (see
// isMark) it reports true; the text decides.
func isHarmful[T ~string | ~[]byte](before T, r rune) bool {
	if r >= 0x2070 && r < 0xfe00 && r != 0x3164 || !unicode.Is(invisible, r) {
		return false
	}
	last, _ := utf8.DecodeLastRuneInString(string(before[max(0, len(before)-utf8.UTFMax):]))
	return !applies(r, last)
}

// isMark reports whether r is a mark of direction or an isolate, which are kept in text from right to left.
func isMark(r rune) bool {
	return r == 0x061c || r == 0x200e || r == 0x200f || 0x2066 <= r && r <= 0x2069
}

// isRightToLeft reports whether most letters of text are written from right to left.
func isRightToLeft(text string) bool {
	n := 0
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
		case unicode.Is(rightToLeft, r):
			n++
		default:
			n--
		}
	}
	return n > 0
}

// rightToLeft contains the blocks of Unicode whose letters are written from right to left.
var rightToLeft = &unicode.RangeTable{
	R16: []unicode.Range16{{0x0590, 0x08ff, 1}, {0xfb1d, 0xfdff, 1}, {0xfe70, 0xfefe, 1}},
	R32: []unicode.Range32{{0x10800, 0x10fff, 1}, {0x1e800, 0x1efff, 1}},
}

// applies reports whether an invisible character is meaningful after last: joiners in non-ASCII scripts and between
// emoji; zero-width spaces in scripts without spaces; variation selectors of emoji, keycaps, ideographs and Mongolian
// letters.
func applies(r, last rune) bool {
	const emojiSelector = 0xfe0f
	switch {
	case r == 0x200d && last == emojiSelector:
		return true
	case last < utf8.RuneSelf:
		return r == emojiSelector && (last == '#' || last == '*' || '0' <= last && last <= '9')
	case last == utf8.RuneError || unicode.Is(invisible, last):
		return false
	case r == 0x200c, r == 0x200d, 0xfe00 <= r && r <= emojiSelector:
		return true
	case r == 0x200b:
		return unicode.In(last, unicode.Thai, unicode.Lao, unicode.Tibetan, unicode.Myanmar, unicode.Khmer)
	case 0x180b <= r && r <= 0x180f && r != 0x180e:
		return unicode.Is(unicode.Mongolian, last)
	case 0xe0100 <= r && r <= 0xe01ef:
		return unicode.Is(unicode.Han, last)
	default:
		return false
	}
}
