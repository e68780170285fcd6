package strictjson

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// escapeSize is the size of an escape of the form \u0000, in bytes.
const escapeSize = len(`\u0000`)

// Repair returns JSON text with U+FFFD in place of each invalid byte of UTF-8 and of each escaped surrogate without its
// counterpart. It returns data itself if there is nothing to replace.
func Repair(data []byte) []byte {
	if rawjson.Valid(data, 0) == nil {
		return data
	}
	text := []byte(rawjson.ValidUTF8(string(data)))
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		switch first := unit(text[i:]); {
		case !utf16.IsSurrogate(first):
			i++ // the escaped byte, which may be a backslash
		case utf16.DecodeRune(first, unit(text[i+escapeSize:])) == utf8.RuneError:
			i += copy(text[i:], `\ufffd`) - 1
		default:
			i += 2*escapeSize - 1
		}
	}
	return text
}

// unit returns the code unit of the escape of the form \u0000 at the start of text, 0 if there is none.
func unit(text []byte) rune {
	if len(text) < escapeSize || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(string(text[2:escapeSize]), 16, 16) // 0 if it is not valid
	return rune(n)
}
