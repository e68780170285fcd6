package openapi

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// unescaped returns a segment of a JSON pointer in a URL as text.
func unescaped(segment string) string {
	if text, err := url.PathUnescape(segment); err == nil {
		segment = text
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
}

var (
	markdownLink = regexp.MustCompile(`!?\[([^\[\]]*)\]\([^()\s]*(?:\s+"[^"]*")?\)`)
	blockTag     = regexp.MustCompile(`(?i)</?(?:br|p|li|ul|ol|div|tr|td|h[1-6])[^<>]*>`)
	htmlTag      = regexp.MustCompile(`</?[a-zA-Z][^<>]*>`)
	quoteMark    = regexp.MustCompile(`(?m)^[ \t]*>[ \t]?(?:\[![A-Z]+\])?`)
	seeMore      = regexp.MustCompile(`(?i)(^|\s)for (?:more|further) (?:information|details)\b[^.!?]*?\bsee\b(?:[^.!?]|[.!?][^\s"')\]])*[.!?]?["')\]]*`)
	sentenceEnd  = regexp.MustCompile(`[.!?。]["')\]]*(\s|$)`)
)

// plainText returns the first sentences of a description, at most about limit bytes, on one line: links and HTML become their text;
// references to other pages, control characters, and those that change the direction of text are removed.
func plainText(s string, limit int) string {
	if cut := 40 * limit; len(s) > cut {
		s = strings.ToValidUTF8(s[:cut], "")
	}
	s = htmlTag.ReplaceAllString(blockTag.ReplaceAllString(markdownLink.ReplaceAllString(quoteMark.ReplaceAllString(s, ""), "$1"), " "), "")
	s = clean(seeMore.ReplaceAllString(clean(strings.NewReplacer("**", "", "`", "").Replace(s)), "$1"))
	if len(s) <= limit {
		return s
	}
	end := 0
	for _, at := range sentenceEnd.FindAllStringIndex(s, -1) {
		if at[1] > limit && end > 0 {
			break
		}
		if at[1] <= limit {
			end = at[1]
		}
	}
	if end > 0 {
		return strings.TrimSpace(s[:end])
	}
	cut := strings.ToValidUTF8(s[:limit], "")
	if blank := strings.LastIndexByte(cut, ' '); blank > 0 {
		cut = cut[:blank]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

// repeats reports whether the first sentence of a description begins as a summary does and has all of its words, apart from
// articles and a final s.
func repeats(description, summary string) bool {
	if end := sentenceEnd.FindStringIndex(description); end != nil {
		description = description[:end[0]]
	}
	known, needed := stems(description), stems(summary)
	return len(needed) == 0 || len(known) > 0 && known[0] == needed[0] &&
		!slices.ContainsFunc(needed, func(stem string) bool { return !slices.Contains(known, stem) })
}

// stems returns the words of a text in lower case, without articles and without a final s.
func stems(s string) []string {
	list := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for i, word := range list {
		list[i] = strings.TrimSuffix(word, "s")
	}
	return slices.DeleteFunc(list, func(word string) bool { return word == "a" || word == "an" || word == "the" })
}
