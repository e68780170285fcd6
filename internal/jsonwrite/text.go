package jsonwrite

import "unicode/utf8"

// Text appends text as a JSON string, made harmless for models and for people who see it in
// a terminal or a chat. U+FFFD takes the place of each character that shows nothing of itself and
// changes how what is around it is shown or read:
//
//   - control characters but tab and the ends of lines, "\n" and "\r\n": with ESC and its like (C0, DEL, C1)
//     text can move the cursor of a terminal, erase what was there, and set its title; with
//     "\r" alone, write over its own line;
//   - the marks that turn the direction of text, U+202A to U+202E and U+2066 to U+2069: what is read
//     then differs from what is there. Text in Arabic and Hebrew has its direction without them;
//   - the tags, U+E0000 to U+E007F: ASCII that models read and nobody sees. Three flags use
//     them, and are shown as a black one.
//
// Bytes that are no UTF-8 become U+FFFD as well.
func Text[T ~string | ~[]byte](dst []byte, text T) []byte {
	return appendString(dst, text, &harmless)
}

// replaced stands in a table of escapes for a character that U+FFFD takes the place of.
const replaced = 'x'

// harmless is the escapes of Text.
var harmless = func() [utf8.RuneSelf]byte {
	t := escapes
	for c := range t {
		if (c < ' ' || c == 0x7f) && c != '\t' && c != '\n' {
			t[c] = replaced
		}
	}
	return t
}()

// isHarmful reports whether Text replaces a character beyond ASCII.
func isHarmful(r rune) bool {
	switch {
	case r < 0xa0:
		return true // C1
	case r < 0x202a:
		return false
	default:
		return r <= 0x202e || 0x2066 <= r && r <= 0x2069 || 0xe0000 <= r && r <= 0xe007f
	}
}
