package comments

import (
	"go/doc"
	"go/doc/comment"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxText is the maximum number of characters of a description. APIs of models reject longer ones;
// see bench lint.
const maxText = 1024

// describe returns the description that the doc comment of a name makes: its text with one line per
// paragraph. Models do not know Go names, so one at the beginning is removed: "Celsius is the
// metric unit" becomes "The metric unit" and, if the name is of a func or a type, "GetWeather
// returns" becomes "Returns". A long text is cut, at the end of a sentence if possible.
func describe(name, doc string, isField bool) (text string, cut bool) {
	parser := comment.Parser{
		LookupSym:     func(string, string) bool { return true },
		LookupPackage: func(name string) (string, bool) { return name, true },
	}
	text = strings.TrimSpace(string((&comment.Printer{TextWidth: -1}).Text(parser.Parse(doc))))
	rest, _ := strings.CutPrefix(text, name+" ")
	switch verb, object, _ := strings.Cut(rest, " "); {
	case rest == text:
	case verb == "is" || verb == "are":
		text = upperFirst(object)
	case strings.HasSuffix(strings.TrimRight(verb, ".,"), "s") && !isField:
		text = upperFirst(rest)
	}
	if utf8.RuneCountInString(text) <= maxText {
		return text, false
	}
	head := string([]rune(text)[:maxText])
	last := -1
	for _, mark := range []string{". ", ".\n", "! ", "? "} {
		last = max(last, strings.LastIndex(head, mark))
	}
	if last < 0 {
		return strings.TrimRight(head[:max(strings.LastIndexByte(head, ' '), 0)], " ,;:") + "…", true
	}
	return head[:last+1], true
}

// firstSentence returns the first sentence of a doc comment, in one line. Comments of other modules are written for
// programmers who use their types, and the first sentence usually suffices for a model.
func firstSentence(comment string) string {
	return new(doc.Package).Synopsis(comment)
}

var (
	// marker matches a line for tools, such as +optional, +kubebuilder:validation:Minimum=1 or nolint:lll. Directives
	// such as //go:embed are not in the text of a comment.
	marker = regexp.MustCompile(`^(?:\+[A-Za-z][\w.-]*(?:[:=(].*)?$|nolint\b)`)
	// reminder matches the first line of a note for the maintainers of the code.
	reminder = regexp.MustCompile(`^(?:TODO|FIXME|XXX|HACK)\b`)
)

// withoutMarkers removes markers and reminders from a doc comment. A reminder ends with its paragraph.
func withoutMarkers(doc string) string {
	var kept []string
	isReminder := false
	for line := range strings.Lines(doc) {
		text := strings.TrimSpace(line)
		isReminder = text != "" && (isReminder || reminder.MatchString(text))
		if !isReminder && !marker.MatchString(text) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
