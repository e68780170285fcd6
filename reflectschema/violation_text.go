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
	"github.com/mcptool-go/mcptool/reflectschema/internal/sample"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Limits of the text, in bytes.
const (
	maxText = 2048 // of the whole text
	maxLine = 400  // of one violation
)

// Error returns a text for a person or a model: a line for each violation, with its location, the requirement, the
// actual value, and the most similar allowed name or value; then the number of further violations; then, if one can be
// made, a line "Example: {…}" with a value that fits. The text has at most 2048 bytes, is the same in every run, and
// contains no names of Go types and no URLs of schemas. Characters that are not printable, such as control characters
// and direction marks, are escaped as in JSON (RFC 8259, section 7). It has no headline, because the caller knows
// which value was checked.
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
	value := e.shown.example(e.Violations, e.branches)
	if value == "" {
		return ""
	}
	return "Example: " + value + "\n"
}

// line returns the line of one violation: its location and its sentence.
func (v Violation) line() string {
	line := sentence(v)
	if v.Path != "" {
		line = v.Path + ": " + line
	}
	return clipBytes(visible(line), maxLine)
}

// visible escapes characters that are invisible, or that hide or reorder the text around them. The result is equivalent
// if s is JSON.
func visible(s string) string {
	if isPrintableASCII(s) {
		return s
	}
	hidden := func(r rune) bool { return !unicode.IsPrint(r) }
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xFFFF:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isPrintableASCII reports whether s is printable ASCII.
func isPrintableASCII(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

// sentence describes a violation: the requirement, the actual value, and a suggestion.
func sentence(v Violation) string {
	if phrase, ok := wording[v.Keyword]; ok {
		return phrase(v)
	}
	if k, _ := jsondoc.KeywordNamed(v.Keyword); k.Limit != nil {
		return mustCount(*k.Limit, v)
	}
	return must("satisfy the keyword " + v.Keyword)(v)
}

// A phrase returns the sentence of a violation. The table wording has one for each keyword except those that limit a
// count.
type phrase func(Violation) string

var wording = map[string]phrase{
	"type":                 mustBeType,
	"enum":                 must("be one of %s"),
	"const":                must("be %s"),
	"minimum":              must("be at least %s"),
	"maximum":              must("be at most %s"),
	"exclusiveMinimum":     must("be greater than %s"),
	"exclusiveMaximum":     must("be less than %s"),
	"multipleOf":           must("be a multiple of %s"),
	"pattern":              must("match the pattern %s"),
	"format":               mustHaveFormat,
	"contentEncoding":      must("be %s"),
	"uniqueItems":          says("must not repeat an item, but items %s are equal", got),
	"additionalItems":      says("has too many items: %s more than allowed", got),
	"contains":             must("have an item %s"),
	"minContains":          must("have at least %s"),
	"maxContains":          must("have at most %s"),
	"required":             isMissing,
	"dependentRequired":    says("is required when %s is given", want),
	"dependencies":         says("is required when %s is given", want),
	"additionalProperties": isUnknown,
	"propertyNames":        says("is not an allowed name: it %s", want),
	"not":                  must("not fit %s"),
	"anyOf":                says("fits none of the alternatives: %s", want),
	"oneOf":                mustFitOne,
	"false":                says("is not allowed here"),
	keywordJSON:            mustBeJSON,
	codec.KeywordDecode:    must("be %s"),
	codec.KeywordEncode:    mustBeJSON,
	keywordCheck:           cannotBeChecked,
}

func want(v Violation) string { return v.Want }

func got(v Violation) string { return v.Got }

// says returns a phrase with parts of the violation as arguments of format.
func says(format string, parts ...func(Violation) string) phrase {
	return func(v Violation) string {
		args := make([]any, len(parts))
		for i, part := range parts {
			args[i] = part(v)
		}
		return fmt.Sprintf(format, args...)
	}
}

// must returns the phrase "must …, got …", with the suggestion if there is one. A %s in format is replaced by the
// requirement.
func must(format string) phrase {
	return func(v Violation) string {
		return "must " + strings.ReplaceAll(format, "%s", v.Want) + ending(v)
	}
}

// ending returns the actual value and the suggestion.
func ending(v Violation) string {
	s := ""
	if v.Got != "" {
		s = ", got " + v.Got
	}
	if v.Suggest != "" {
		s += "; did you mean " + v.Suggest + "?"
	}
	return s
}

// mustCount is must for a limit on a count.
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

func mustBeType(v Violation) string {
	types := strings.Split(v.Want, " or ")
	for i, t := range types {
		switch t {
		case "null":
		case "integer", "array", "object":
			types[i] = "an " + t
		default:
			types[i] = "a " + t
		}
	}
	return "must be " + strings.Join(types, " or ") + ending(v)
}

func cannotBeChecked(v Violation) string {
	const s = "cannot be checked against its schema"
	if v.Got != "" {
		return s + ": " + v.Got
	}
	return s
}

func mustBeJSON(v Violation) string {
	if v.Want == authority.WantJSON && v.Got != "" {
		return "is not " + v.Want + ": " + v.Got
	}
	return must("be %s")(v)
}

func mustHaveFormat(v Violation) string {
	s := "must have the format " + v.Want
	if example := sample.OfFormat(v.Want); example != "" {
		s += ", such as " + show.Quote(example, show.MaxText)
	}
	return s + ending(v)
}

func isMissing(v Violation) string {
	if v.Want != "" {
		return "is required but missing; must be one of " + v.Want
	}
	return "is required but missing"
}

func isUnknown(v Violation) string {
	switch {
	case v.Suggest != "":
		return "is not a known property; did you mean " + show.Quote(v.Suggest, show.MaxName) + "?"
	case v.Want != "":
		return "is not a known property; there are also " + v.Want
	default:
		return "is not a known property"
	}
}

func mustFitOne(v Violation) string {
	if v.Want == "" {
		return "must fit exactly one alternative" + ending(v)
	}
	return "fits none of the alternatives: " + v.Want
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
