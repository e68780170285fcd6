package reflectschema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/placeholder"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of the text, in bytes.
const (
	maxText = 2048 // of the whole text
	maxLine = 400  // of one violation
)

// Error returns a text for a person or a model: a line for each violation, with its location, the requirement, the
// actual value, and the most similar allowed name or value; then the number of further violations; then a line
// "Example: {…}" with a value that fits.
//
// The example contains the examples, defaults and enums of the schema, and a placeholder for each other property. The line
// is omitted if a placeholder does not fit, which is usual for a pattern or a type with UnmarshalText; the keyword
// examples of the property corrects that.
//
// The text has at most 2048 bytes, is the same in every run, and contains no URLs of schemas. It contains no names of Go
// types either, except in the error of a method that writes a value, which the author of the method reads. Characters
// that are not printable, such as control characters and direction marks, are escaped as in JSON (RFC 8259, section 7).
// The text has no headline, because the caller knows which value was checked.
func (e *InvalidError) Error() string {
	example := e.example()
	room := maxText - len(example) - len("and at least 1000 more mistakes\n")
	var b strings.Builder
	b.Grow(len(example) + 128*len(e.Violations))
	shown := 0
	for _, v := range e.Violations {
		line := v.line()
		if b.Len()+len(line)+1 > room && shown > 0 {
			break
		}
		b.WriteString(line)
		b.WriteByte('\n')
		shown++
	}
	if more := e.Total - shown; more > 0 {
		b.WriteString("and ")
		if e.Total >= codec.MaxCounted {
			b.WriteString("at least ")
		}
		b.WriteString(strconv.Itoa(more) + " more\n")
	}
	b.WriteString(example)
	return strings.TrimSuffix(b.String(), "\n")
}

// example returns the example line, or "".
func (e *InvalidError) example() string {
	if e.shown == nil {
		return ""
	}
	return ifSet("Example: ", e.shown.example(e.Violations, e.branches), "\n")
}

// line returns the line of one violation: its location and its sentence.
func (v Violation) line() string {
	return clipBytes(visible(ifSet("", v.Path, ": ")+sentence(v)), maxLine)
}

// visible escapes characters that are invisible, or that hide or reorder the text around them. The result is equivalent
// if s is JSON.
func visible(s string) string {
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		for _, unit := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	}
	return b.String()
}

// requirements are what a value must do if it violates a keyword, followed by Want.
var requirements = map[string]string{
	"enum":              "be one of",
	"const":             "be",
	"minimum":           "be at least",
	"maximum":           "be at most",
	"exclusiveMinimum":  "be greater than",
	"exclusiveMaximum":  "be less than",
	"multipleOf":        "be a multiple of",
	"pattern":           "match the pattern",
	"contentEncoding":   "be",
	"contains":          "have an item",
	"minContains":       "have at least",
	"maxContains":       "have at most",
	"not":               "not fit",
	codec.KeywordDecode: "be",
}

// sentence describes a violation: the requirement, the actual value, and a suggestion.
func sentence(v Violation) string {
	if requirement, ok := requirements[v.Keyword]; ok {
		return "must " + requirement + " " + v.Want + ending(v)
	}
	switch v.Keyword {
	case "type":
		return "must be " + withArticles(v.Want) + ending(v)
	case "format":
		if example := placeholder.OfFormat(v.Want); example != "" {
			return "must have the format " + v.Want + ", such as " + show.Quote(example, show.MaxText) + ending(v)
		}
		return "must have the format " + v.Want + ending(v)
	case "uniqueItems":
		return "must not repeat an item, but items " + v.Got + " are equal"
	case "additionalItems":
		return "has too many items: " + v.Got + " more than allowed"
	case "required":
		return "is required but missing" + ifSet("; must be one of ", v.Want, "")
	case "dependentRequired", "dependencies":
		return "is required when " + v.Want + " is given"
	case "additionalProperties":
		if v.Suggest != "" {
			return "is not a known property; did you mean " + show.Quote(v.Suggest, show.MaxName) + "?"
		}
		return "is not a known property" + ifSet("; there are also ", v.Want, "")
	case "propertyNames":
		return "is not an allowed name: it " + v.Want
	case "anyOf", "oneOf":
		if v.Keyword == "oneOf" && v.Want == "" {
			return "must fit exactly one alternative" + ending(v)
		}
		return "fits none of the alternatives: " + v.Want
	case "false":
		return "is not allowed here"
	case keywordJSON, codec.KeywordEncode:
		if v.Want == authority.WantJSON && v.Got != "" {
			return "is not " + v.Want + ": " + v.Got
		}
		return "must be " + v.Want + ending(v)
	case keywordCheck:
		return "cannot be checked against its schema" + ifSet(": ", v.Got, "")
	}
	if k, _ := jsondoc.KeywordNamed(v.Keyword); k.Limit != nil {
		return mustCount(*k.Limit, v)
	}
	return "must satisfy the keyword " + v.Keyword + ending(v)
}

// ending returns the actual value and the suggestion.
func ending(v Violation) string {
	return ifSet(", got ", v.Got, "") + ifSet("; did you mean ", v.Suggest, "?")
}

// ifSet returns text between before and after, or "" if it is empty.
func ifSet(before, text, after string) string {
	if text == "" {
		return ""
	}
	return before + text + after
}

// mustCount is the sentence for a limit on a count.
func mustCount(limit jsondoc.Limit, v Violation) string {
	bound, noun := "at most", limit.Of
	if limit.Least {
		bound = "at least"
	}
	if noun == jsondoc.Members {
		noun = "property"
	}
	return "must have " + bound + " " + show.Plural(v.Want, noun) + ending(v)
}

// withArticles returns the names of types with their articles.
func withArticles(types string) string {
	names := strings.Split(types, " or ")
	for i, name := range names {
		switch name {
		case "null":
		case "integer", "array", "object":
			names[i] = "an " + name
		default:
			names[i] = "a " + name
		}
	}
	return strings.Join(names, " or ")
}

// clipBytes shortens s to at most n bytes, between two runes, with an ellipsis at the end.
func clipBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
