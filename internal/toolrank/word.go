package toolrank

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxWord is the greatest length of a word in bytes. Longer ones, such as keys and encoded data, are ignored.
const maxWord = 64

// splitter finds the words of texts. It reuses its buffers, so it is not safe for concurrent use.
type splitter struct {
	prose    bool   // skip names such as list_issues: a description that mentions a name is about another tool, or an argument
	skipping bool   // until the end of such a name
	word     []byte // the letters of the current word in lower case
	parts    []int  // the ends of its parts, if it was written in mixed case
	previous rune   // the previous letter, if it and the next one are of a script without spaces, else 0
}

// split calls emit with each word of text in lower case; the slices are valid until emit returns. A word is a sequence of
// letters, marks and digits. A word in mixed case, such as getPullRequest, is passed whole, with the ends of its parts;
// other words have no parts. Text in scripts without spaces between words, such as Chinese, is split into pairs of adjacent
// letters. Single ASCII characters are not words. Invalid UTF-8 separates words.
func (s *splitter) split(text string, emit func(word []byte, parts []int)) {
	var last, beforeLast rune // the two previous letters of the current word, as written
	for i, r := range text {
		switch {
		case !isLetter(r):
			s.separate(r, emit)
			last, beforeLast = 0, 0
		case isUnspaced(r):
			if s.previous == 0 {
				s.flush(emit)
			}
			s.addUnspaced(r, text[i+utf8.RuneLen(r):], emit)
			last, beforeLast = 0, 0
		default:
			switch {
			case unicode.IsUpper(r) && unicode.IsLower(last):
				s.parts = append(s.parts, len(s.word))
			case unicode.IsLower(r) && unicode.IsUpper(last) && unicode.IsUpper(beforeLast) && !isPlural(text[i:]): // HTTPServer
				s.parts = append(s.parts, len(s.word)-utf8.RuneLen(unicode.ToLower(last)))
			}
			if len(s.word) <= maxWord {
				s.word = utf8.AppendRune(s.word, unicode.ToLower(r))
			}
			beforeLast, last = last, r
		}
	}
	s.separate(' ', emit)
}

// separate ends a word at r.
func (s *splitter) separate(r rune, emit func(word []byte, parts []int)) {
	if r == '_' && s.prose {
		s.skipping = true
	}
	s.flush(emit)
	if r != '_' {
		s.skipping = false
	}
}

// addUnspaced emits the pair of the previous letter and r, or r alone if no letter of such a script is beside it.
func (s *splitter) addUnspaced(r rune, rest string, emit func(word []byte, parts []int)) {
	next, _ := utf8.DecodeRuneInString(rest)
	isLast := !isUnspaced(next)
	if s.previous != 0 || isLast {
		if s.previous != 0 {
			s.word = utf8.AppendRune(s.word[:0], s.previous)
		}
		s.word = utf8.AppendRune(s.word, r)
		s.flush(emit)
	}
	if s.previous = r; isLast {
		s.previous = 0
	}
}

// isPlural reports whether text begins with the s of a plural such as URLs.
func isPlural(text string) bool {
	next, _ := utf8.DecodeRuneInString(text[1:])
	return text[0] == 's' && !isLetter(next)
}

// flush emits the current word, and begins another one.
func (s *splitter) flush(emit func(word []byte, parts []int)) {
	if len(s.word) > 1 && len(s.word) <= maxWord && !s.skipping {
		var parts []int
		if len(s.parts) > 0 {
			s.parts = append(s.parts, len(s.word))
			parts = s.parts
		}
		emit(s.word, parts)
	}
	s.word, s.parts = s.word[:0], s.parts[:0]
}

// eachPart calls emit with the parts of a word that are words.
func eachPart(word []byte, parts []int, emit func(part []byte)) {
	start := 0
	for _, end := range parts {
		if end-start > 1 {
			emit(word[start:end])
		}
		start = end
	}
}

// isLetter reports whether r is part of words.
func isLetter(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && unicode.In(r, unicode.L, unicode.M, unicode.N)
}

// isUnspaced reports whether r is a letter of a script that has few or no spaces between words.
func isUnspaced(r rune) bool {
	return r >= firstThai && (r == longVowel || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

const (
	firstThai = '\u0E00' // the first letter of these scripts
	longVowel = 'ー'      // of both Hiragana and Katakana, and therefore in neither table
)

// plainName returns the letters of a name in lower case. It is the same for names that differ only in separators or case.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if !isLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// FirstSentence splits a description after its first sentence or line.
func FirstSentence(text string) (first, rest string) {
	text = strings.TrimSpace(text)
	for i, r := range text {
		switch r {
		case '\n', '。', '！', '？':
			return text[:i], text[i+utf8.RuneLen(r):]
		case '.', '!', '?':
			if after := text[i+1:]; (after == "" || strings.ContainsRune(" \t\r\n", rune(after[0]))) && !isAbbreviation(text[:i]) {
				return text[:i], after
			}
		}
	}
	return text, ""
}

// isAbbreviation reports whether the text before a full stop ends with a single letter, as in "e.g." and "i.e.".
func isAbbreviation(text string) bool {
	n := len(text)
	return n > 0 && isLetter(rune(text[n-1])) && (n == 1 || strings.ContainsRune(". (", rune(text[n-2])))
}
