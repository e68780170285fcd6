package tag

import (
	"slices"
	"strings"
	"unicode"

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

// meantKeywords returns the keywords that a description was probably meant to be, as a tag, or "". Either the description
// assigns a value to a keyword that is not an English word, such as minLength: 3, or it consists of keywords and their
// values, separated by a colon, an equals sign or a blank: minimum: 3, but not minimum: the smallest price.
func meantKeywords(tag string) string {
	if name, list, ok := strings.Cut(tag, ":"); ok && name == "enum" {
		return "enum=" + strings.Join(strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(",;| []\"'", r) }), ",enum=")
	}
	var meant []string
	if strings.ContainsAny(tag, ":=") {
		for _, m := range assignmentInText().FindAllStringSubmatch(tag, -1) {
			if text := meantAssignment(m[1], strings.TrimRight(m[2], "."), false); text != "" && strings.ToLower(m[1]) != m[1] {
				meant = append(meant, text)
			}
		}
		if meant != nil {
			return strings.Join(meant, ",")
		}
	}
	for part := range strings.FieldsFuncSeq(tag, func(r rune) bool { return r == ',' || r == ';' }) {
		text := strings.TrimSpace(part)
		if word, value, blank := cutAssignment(text); value != "" {
			text = meantAssignment(word, value, blank)
		} else if KeywordNamed(text) == nil {
			return ""
		}
		if text == "" {
			return ""
		}
		meant = append(meant, text)
	}
	return strings.Join(meant, ",")
}

var assignmentInText = lazyRegexp(`([A-Za-z]+)\s*[:=]\s*([^\s,;()]+)`)

// cutAssignment cuts a text of one word and one value at the colon, the equals sign or the blank between them, which
// blank reports. The value is "" if the text has another form. It is not a regular expression because it reads every
// description when a server starts.
func cutAssignment(text string) (word, value string, blank bool) {
	end := strings.IndexFunc(text, func(r rune) bool { return r|0x20 < 'a' || r|0x20 > 'z' })
	if end <= 0 {
		return "", "", false
	}
	word, rest := text[:end], strings.TrimSpace(text[end:])
	if rest[0] == ':' || rest[0] == '=' {
		rest = strings.TrimSpace(rest[1:])
	} else if blank = len(rest) < len(text)-end; !blank {
		return "", "", false
	}
	if strings.ContainsFunc(rest, unicode.IsSpace) {
		return "", "", false
	}
	return word, rest, blank
}

// meantAssignment returns a keyword and its value as a tag, "" if word is no keyword or value not one of its values. Blank
// means that only a blank is between them.
func meantAssignment(word, value string, blank bool) string {
	i := slices.IndexFunc(Keywords, func(k Keyword) bool { return isSlip(word, k.Name) })
	switch {
	case i < 0 || !Keywords[i].mayBe(value, blank):
		return ""
	case Keywords[i].Form == formFlag && value == "false":
		return "nothing for " + Keywords[i].Name
	case Keywords[i].Form == formFlag:
		return Keywords[i].Name
	default:
		return asSegments(&Keywords[i], strings.Trim(value, `"`))
	}
}

// mayBe reports whether a text is a value of the keyword, rather than the next word of a sentence. Blank means that
// only a blank precedes it.
func (k *Keyword) mayBe(value string, blank bool) bool {
	isBool := value == "true" || value == "false"
	switch k.Form {
	case formNumber, formCount:
		return isNumber(value)
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
