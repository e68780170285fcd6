package reflectschema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
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
	if slices.ContainsFunc(keywordsNear(first), func(k *keyword) bool { return isSlip(first, k.name) }) {
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
// that keyword, or several such, separated by commas, semicolons or blanks. A keyword that is no
// word of prose, such as minLength, tells by itself, wherever it is assigned; at the beginning
// of the tag it needs no value, unless a sentence follows.
func meantKeywords(tag string) string {
	tag = plainTag(tag)
	if strings.HasPrefix(tag, "{") && strings.HasSuffix(tag, "}") {
		return meantObject(tag)
	}
	if text := meantText(tag); text != "" {
		return text
	}
	var meant []string
	all := true
	for part := range strings.FieldsFuncSeq(tag, func(r rune) bool { return r == ',' || r == ';' }) {
		part = strings.TrimSpace(part)
		several := assignmentsOf(part)
		switch {
		case len(several) > 0:
			for _, a := range several {
				meant = append(meant, a.String())
			}
		case looksLikeAssignment(part) && keywordNamed(part[:strings.IndexByte(part, '=')]) != nil, keywordNamed(part) != nil:
			meant = append(meant, part)
		default:
			all = false
		}
	}
	if len(meant) > 0 && all {
		return strings.Join(meant, ",")
	}
	if telling := tellingAssignments(tag); len(telling) > 0 {
		return strings.Join(telling, ",")
	}
	return leadingKeyword(tag)
}

// isComparison matches the signs that others write between a keyword and its value.
var isComparison = lazyRegexp(`\s*(=>|>=|<=|==|:=|->|>|<)\s*`)

// plainTag writes a tag in the characters that are read as they look: ASCII for full-width signs and
// letters, nothing for what has no width, = for comparisons.
func plainTag(tag string) string {
	isSpecial := func(r rune) bool { return r == '<' || r == '>' || r == '=' || r >= utf8.RuneSelf }
	if !strings.ContainsFunc(tag, isSpecial) {
		return strings.TrimSpace(tag) // most: there is nothing to look for
	}
	tag = strings.Map(func(r rune) rune {
		const fullWidth = '！' - '!'
		switch {
		case r >= '！' && r <= '～':
			return r - fullWidth
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, tag)
	return strings.TrimSpace(isComparison().ReplaceAllString(tag, "="))
}

// meantObject is meantKeywords for what is in braces, as in a schema.
func meantObject(tag string) string {
	var members map[string]json.RawMessage
	if json.Unmarshal([]byte(tag), &members) != nil {
		return meantKeywords(strings.ReplaceAll(tag[1:len(tag)-1], `"`, ""))
	}
	var meant []string
	for _, name := range slices.Sorted(maps.Keys(members)) {
		k := keywordNamed(name)
		if k == nil {
			continue
		}
		values := []json.RawMessage{members[name]}
		if k.repeat {
			_ = json.Unmarshal(members[name], &values) // one value is a list of one
		}
		for _, v := range values {
			meant = append(meant, assignment{keyword: k, word: name, value: strings.ReplaceAll(text(v), ",", `\\,`)}.String())
		}
	}
	if len(meant) == 0 {
		return "keyword=value, or nothing that is in braces"
	}
	return strings.Join(meant, ",")
}

// spacedSigns has blanks around the signs of assignments.
var spacedSigns = strings.NewReplacer(":", " : ", "=", " = ")

// assignmentsOf reads a part of a tag that is an assignment, or several with blanks between them, and nothing else.
func assignmentsOf(part string) (list []assignment) {
	switch a, ok := assignmentOf(part); {
	case ok:
		return []assignment{a}
	case a.keyword == nil && a.word != "" && !strings.ContainsFunc(a.word, unicode.IsSpace):
		return nil // as most prose: several would begin with the same word
	}
	words := strings.Fields(spacedSigns.Replace(part))
	for len(words) > 1 {
		i := 1
		if words[1] == ":" || words[1] == "=" {
			i = 2
		}
		if len(words) <= i {
			return nil
		}
		a, ok := assignmentOf(strings.Join(words[:i+1], " "))
		if !ok {
			return nil
		}
		list, words = append(list, a), words[i+1:]
	}
	if len(words) > 0 {
		return nil
	}
	return list
}

// isAssigned matches a word and what is assigned to it.
var isAssigned = lazyRegexp(`([A-Za-z]+\s*[:=]\s*)([^\s,;()]+)`)

// tellingAssignments returns the assignments, among prose, to keywords that are no English words.
func tellingAssignments(tag string) (meant []string) {
	if !strings.ContainsAny(tag, ":=") {
		return nil
	}
	for _, text := range isAssigned().FindAllString(tag, -1) {
		if a, ok := assignmentOf(strings.TrimRight(text, ".")); ok && a.keyword.isTelling() {
			meant = append(meant, a.String())
		}
	}
	return meant
}

// isTelling reports whether the keyword is no English word.
func (k *keyword) isTelling() bool { return strings.ToLower(k.name) != k.name }

// ofSentences are words that stand in sentences, and not between keywords and values.
var ofSentences = []string{"of", "the", "to", "from", "for", "in", "is", "are", "be", "by", "with", "that", "which", "as", "on", "at"}

// leadingKeyword returns what a tag was meant to say that begins with a keyword that is no English word, "" if a sentence
// without a number follows it.
func leadingKeyword(tag string) string {
	separates := func(r rune) bool { return strings.ContainsRune(" \t\n,;|:=[]\"'", r) }
	var k *keyword
	for first := range strings.FieldsFuncSeq(tag, separates) {
		k = keywordMeant(first)
		break
	}
	if k == nil {
		return ""
	}
	words := strings.FieldsFunc(tag, separates)
	if len(words) < 2 {
		return ""
	}
	rest := slices.DeleteFunc(words[1:], func(word string) bool { return word == "and" || word == "or" })
	number := slices.IndexFunc(rest, func(word string) bool { return isNumber(word) })
	sentence := slices.ContainsFunc(rest, func(word string) bool { return slices.Contains(ofSentences, strings.ToLower(word)) })
	switch {
	case sentence && number < 0, len(rest) == 0:
		return ""
	case k.name == "enum" && !sentence:
		return "enum=" + strings.Join(rest, ",enum=")
	case !k.isTelling() || shorthand(words[0]) != "":
		return ""
	case strings.HasSuffix(k.name, "Only") && words[0] != k.name: // readonly and writeonly are words
		return ""
	case number >= 0:
		return k.name + "=" + rest[number]
	default:
		return k.name + formNames[k.form]
	}
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
var shorthands = [][2]string{
	{"min", "minimum"}, {"max", "maximum"}, {"regex", "pattern"}, {"regexp", "pattern"}, {"examples", "example"}, {"unique", "uniqueItems"},
}

// shorthand returns the name of the keyword that a word is short for, in whatever case; "" if none.
func shorthand(word string) string {
	for _, s := range shorthands {
		if len(s[0]) == len(word) && strings.EqualFold(s[0], word) {
			return s[1]
		}
	}
	return ""
}

// assignmentOf reads a part of a tag that is a keyword and a value, and nothing else.
func assignmentOf(part string) (assignment, bool) {
	i := strings.IndexAny(part, ":= \t")
	if i <= 0 {
		return assignment{}, false
	}
	a := assignment{word: part[:i]}
	if a.keyword = keywordMeant(a.word); a.keyword == nil {
		return a, false
	}
	rest := strings.TrimLeft(part[i:], " \t")
	a.value, a.blank = strings.TrimSpace(strings.TrimLeft(rest, ":=")), !strings.HasPrefix(rest, ":") && !strings.HasPrefix(rest, "=")
	return a, a.isValue()
}

// keywordMeant is the keyword that a word stands for, up to a slip.
func keywordMeant(word string) *keyword {
	if name := shorthand(word); name != "" {
		return keywordNamed(name)
	}
	for _, k := range keywordsNear(word) {
		if isSlip(word, k.name) {
			return k
		}
	}
	return nil
}

// keywordsNear returns the keywords that are no longer or shorter than the word by more than a slip, in the order of the
// vocabulary; all for a word with letters that take more than a byte.
func keywordsNear(word string) []*keyword {
	switch {
	case !isASCII(word):
		return keywordsByLength[0]
	case len(word) < len(keywordsByLength):
		return keywordsByLength[len(word)]
	default:
		return nil
	}
}

// keywordsByLength has in each row the keywords that [isSlip] may find for words of that length, and all of them in the
// first: every word of the prose in tags is looked up.
var keywordsByLength = func() (rows [][]*keyword) {
	for i := range keywords {
		k := &keywords[i]
		for len(rows) < len(k.name)+2 {
			rows = append(rows, nil)
		}
		for _, length := range []int{0, len(k.name) - 1, len(k.name), len(k.name) + 1} {
			rows[length] = append(rows[length], k)
		}
	}
	return rows
}()

// isValue reports whether the value is one that the keyword can have, and no prose.
func (a assignment) isValue() bool {
	v := a.value
	isBool := v == "true" || v == "false"
	switch a.keyword.form {
	case formNumber:
		return isNumber(v)
	case formCount:
		return isInteger(v)
	case formFlag, formBool:
		return isBool
	case formFormat:
		return slices.Contains(authority.Formats, v)
	case formPattern:
		return !strings.ContainsAny(v, " \t") && (strings.HasPrefix(v, "^") || strings.HasSuffix(v, "$"))
	case formValue:
		isWord := v != "" && !strings.ContainsAny(v, " \t")
		return isBool || isNumber(v) || isWord && (!a.blank || strings.ContainsAny(v, `|"`))
	default:
		return false
	}
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
		if shorthand(a.word) == row[0] {
			text += " (" + row[1] + "=" + a.value + " for text, " + row[2] + "=" + a.value + " for lists)"
		}
	}
	return text
}
