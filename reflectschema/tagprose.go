package reflectschema

import (
	"slices"
	"strings"
)

// isProse reports whether a jsonschema tag is a description, as structs written
// for the official SDK have it: it does not start with a keyword, nor with
// anything that was meant as one.
func isProse(parts []string) bool {
	first := parts[0]
	if looksLikeAssignment(first) || first == "" || keywordNamed(first) != nil || refused[first] != "" {
		return false
	}
	if strings.ContainsAny(first, " \t\n") {
		return keywordNamed(strings.TrimSpace(first)) == nil
	}
	if slices.ContainsFunc(keywordNames, func(name string) bool { return isSlip(first, name) }) {
		return false
	}
	return !slices.ContainsFunc(parts[1:], func(part string) bool {
		name, _, ok := strings.Cut(part, "=")
		return ok && keywordNamed(name) != nil
	})
}

// looksLikeAssignment reports whether s starts with WORD=.
func looksLikeAssignment(s string) bool {
	i := strings.IndexAny(s, "= \t\n")
	return i >= 0 && s[i] == '='
}

// meantKeywords returns what a tag that would be prose was meant to say, "" if it is prose:
// "minimum: 3" was meant to be minimum=3, "minimum: the smallest price" is prose. All of
// the tag must be a keyword followed by a colon, an equals sign or a blank, and a value of
// that keyword, or several such, separated by commas or semicolons. A keyword that is no
// word of prose, such as minLength, tells by itself, whatever else is in the tag.
func meantKeywords(tag string) string {
	if text := meantText(tag); text != "" {
		return text
	}
	var meant []string
	all, telling := true, false
	for part := range strings.FieldsFuncSeq(tag, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		a, ok := assignmentOf(part)
		switch {
		case ok:
			meant = append(meant, a.String())
			telling = telling || a.isTelling()
		case looksLikeAssignment(part) && keywordNamed(part[:strings.IndexByte(part, '=')]) != nil, keywordNamed(part) != nil:
			meant = append(meant, part)
		default:
			all = false
		}
	}
	if len(meant) == 0 || !all && !telling {
		return ""
	}
	return strings.Join(meant, ",")
}

// meantText is meantKeywords for keywords whose value may hold commas and blanks.
func meantText(tag string) string {
	name, value, ok := strings.Cut(strings.TrimSpace(tag), ":")
	value = strings.TrimSpace(value)
	switch {
	case !ok || value == "":
		return ""
	case name == "title" || name == "description":
		return name + "=" + strings.ReplaceAll(value, ",", `\\,`)
	case name == "enum":
		split := func(r rune) bool { return strings.ContainsRune(",;| []\"'", r) }
		return "enum=" + strings.Join(strings.FieldsFunc(value, split), ",enum=")
	default:
		return ""
	}
}

// An assignment is a keyword and its value, written in another way than keyword=value.
type assignment struct {
	keyword *keyword
	word    string // as it was written
	value   string
	blank   bool // nothing but a blank is between them
}

// shorthands are words that others have for keywords.
var shorthands = map[string]string{
	"min": "minimum", "max": "maximum", "regex": "pattern", "regexp": "pattern", "examples": "example", "unique": "uniqueItems",
}

// assignmentOf reads a part of a tag that is a keyword and a value, and nothing else.
func assignmentOf(part string) (assignment, bool) {
	i := strings.IndexAny(part, ":= \t")
	if i <= 0 {
		return assignment{}, false
	}
	rest := strings.TrimLeft(part[i:], " \t")
	a := assignment{word: part[:i], value: strings.TrimSpace(strings.TrimLeft(rest, ":=")), blank: !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "=")}
	if a.keyword = keywordMeant(a.word); a.keyword == nil {
		return a, false
	}
	return a, a.isValue()
}

// keywordMeant is the keyword that a word stands for, up to a slip.
func keywordMeant(word string) *keyword {
	if name, ok := shorthands[strings.ToLower(word)]; ok {
		return keywordNamed(name)
	}
	i := slices.IndexFunc(keywordNames, func(name string) bool { return isSlip(word, name) })
	if i < 0 {
		return nil
	}
	return &keywords[i]
}

// isValue reports whether the value is one that the keyword can have, and no prose.
func (a assignment) isValue() bool {
	v := a.value
	isBool := v == "true" || v == "false"
	switch a.keyword.form {
	case formNumber:
		return isNumber().MatchString(v)
	case formCount:
		return isInteger().MatchString(v)
	case formFlag, formBool:
		return isBool
	case formFormat:
		return slices.Contains(formats, v)
	case formPattern:
		return !strings.ContainsAny(v, " \t") && (strings.HasPrefix(v, "^") || strings.HasSuffix(v, "$"))
	case formValue:
		isWord := v != "" && !strings.ContainsAny(v, " \t")
		return isBool || isNumber().MatchString(v) || isWord && (!a.blank || strings.ContainsAny(v, `|"`))
	default:
		return false
	}
}

// isTelling reports whether nobody would begin prose like that: the keyword is no English
// word.
func (a assignment) isTelling() bool {
	return strings.ToLower(a.keyword.name) != a.keyword.name && !a.blank
}

// String writes the assignment as a tag has it.
func (a assignment) String() string {
	switch {
	case a.keyword.form == formFlag && a.value == "false":
		return "nothing for " + a.keyword.name
	case a.keyword.form == formFlag:
		return a.keyword.name
	case a.keyword.name == "enum":
		return "enum=" + strings.ReplaceAll(a.value, "|", ",enum=")
	}
	text := a.keyword.name + "=" + strings.Trim(a.value, `"`)
	for _, row := range counterparts {
		if shorthands[strings.ToLower(a.word)] == row[0] {
			text += " (" + row[1] + "=" + a.value + " for text, " + row[2] + "=" + a.value + " for lists)"
		}
	}
	return text
}
