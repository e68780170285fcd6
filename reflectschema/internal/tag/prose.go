package tag

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
)

// isProse reports whether a jsonschema tag is a description, as in structs written for the official SDK: its first part is
// neither a keyword nor close to one, and no other part assigns a value to a keyword.
func isProse(parts []string) bool {
	first := parts[0]
	name, _, isAssigned := strings.Cut(first, "=")
	switch {
	case first == "", KeywordNamed(strings.TrimSpace(first)) != nil, refused[first] != "":
		return false
	case isAssigned && !strings.ContainsAny(name, " \t\n"):
		return false
	case !strings.ContainsAny(first, " \t\n") && slices.ContainsFunc(keywordNames, func(k string) bool { return isSlip(first, k) }):
		return false
	}
	return !slices.ContainsFunc(parts[1:], func(part string) bool {
		name, _, ok := strings.Cut(part, "=")
		return ok && KeywordNamed(name) != nil
	})
}

// meantKeywords returns the keywords that a description was probably meant to be, as a tag, or "". Each part of such a
// description is a keyword and a value of that keyword, separated by a colon, an equals sign or a blank: minimum: 3,
// but not minimum: the smallest price. A keyword that is not an English word, such as minLength, is also recognized
// within a sentence, if a value follows it.
func meantKeywords(tag string) string {
	if name, list, ok := strings.Cut(tag, ":"); ok && name == "enum" {
		return "enum=" + strings.Join(strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(",;| []\"'", r) }), ",enum=")
	}
	var meant []string
	all := true
	for part := range strings.FieldsFuncSeq(tag, func(r rune) bool { return r == ',' || r == ';' }) {
		if text := meantAssignment(part); text != "" {
			meant = append(meant, text)
		} else if part = strings.TrimSpace(part); KeywordNamed(part) != nil {
			meant = append(meant, part)
		} else {
			all = false
		}
	}
	if !all && !strings.ContainsAny(tag, ":=") {
		return ""
	}
	if !all {
		meant = meant[:0]
		for _, part := range assignmentInText().FindAllString(tag, -1) {
			word := part[:strings.IndexAny(part, ":= \t")]
			if text := meantAssignment(strings.TrimRight(part, ".")); text != "" && strings.ToLower(word) != word {
				meant = append(meant, text)
			}
		}
	}
	return strings.Join(meant, ",")
}

var (
	assignmentAlone  = lazyRegexp(`^\s*([A-Za-z]+)(\s*[:=]\s*|\s+)(\S+)\s*$`)
	assignmentInText = lazyRegexp(`[A-Za-z]+\s*[:=]\s*[^\s,;()]+`)
)

// shorthands maps the words of other libraries to keywords.
var shorthands = map[string]string{"min": "minimum", "max": "maximum", "regex": "pattern", "regexp": "pattern", "examples": "example", "unique": "uniqueItems"}

// meantAssignment returns the keyword and value that part assigns in another notation, as a tag; "" if it is not an
// assignment.
func meantAssignment(part string) string {
	if len(strings.Fields(part)) > 3 {
		return ""
	}
	m := assignmentAlone().FindStringSubmatch(part)
	if m == nil {
		return ""
	}
	word, value := m[1], m[3]
	k := KeywordNamed(shorthands[strings.ToLower(word)])
	if i := slices.IndexFunc(keywordNames, func(name string) bool { return isSlip(word, name) }); k == nil && i >= 0 {
		k = KeywordNamed(keywordNames[i])
	}
	if k == nil || !k.mayBe(value, strings.TrimSpace(m[2]) == "") {
		return ""
	}
	switch {
	case k.Form == formFlag && value == "false":
		return "nothing for " + k.Name
	case k.Form == formFlag:
		return k.Name
	case k.Name == "enum":
		return asSegments(k, value)
	}
	text := k.Name + "=" + strings.Trim(value, `"`)
	if i := slices.Index([]string{"min", "max"}, strings.ToLower(word)); i >= 0 {
		text += " (" + counterparts[i][1] + "=" + value + " for text, " + counterparts[i][2] + "=" + value + " for lists)"
	}
	return text
}

// mayBe reports whether a text is a value of the keyword, rather than the next word of a sentence. Blank means that
// only a blank precedes it.
func (k *Keyword) mayBe(value string, blank bool) bool {
	isBool := value == "true" || value == "false"
	switch k.Form {
	case formNumber:
		return isNumber(value)
	case formCount:
		return isInteger(value)
	case formFlag, formBool:
		return isBool
	case formFormat:
		return slices.Contains(authority.Formats, value)
	case formPattern:
		return strings.HasPrefix(value, "^") || strings.HasSuffix(value, "$")
	case formValue:
		return isBool || isNumber(value) || !blank || strings.ContainsAny(value, `|"`)
	default:
		return false
	}
}
