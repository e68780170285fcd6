package openapi

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// initialisms are words that Go writes in one case, by their lower-case form. The key of a plural has the s.
var initialisms = func() map[string]string {
	known := make(map[string]string)
	for _, word := range strings.Fields("ACL API ASCII CPU CSS CSV DNS EOF GUID HTML HTTP HTTPS ID IP ISBN JSON JWT MCP OS PDF PNG QPS RAM RPC SDK SHA SKU SLA SMTP SQL SSH SSL SSO SVG TCP TLS TTL UDP UI UID URI URL UTC UTF8 UUID VAT VM XML XSS YAML") {
		known[strings.ToLower(word)] = word
		known[strings.ToLower(word)+"s"] = word + "s"
	}
	delete(known, "oss") // open source software
	for _, word := range []string{"IPv4", "IPv6", "OAuth", "OAuth2"} {
		known[strings.ToLower(word)] = word
	}
	return known
}()

// symbols name the characters of names that have neither letters nor digits, such as the operators of an enum.
var symbols = map[rune]string{
	'+': "Plus", '-': "Minus", '*': "Star", '/': "Slash", '=': "Equal", '!': "Not", '<': "Less", '>': "Greater", '$': "Dollar",
	'@': "At", '#': "Hash", '%': "Percent", '&': "And", '|': "Or", '.': "Dot", '_': "Underscore", '~': "Tilde", '?': "Question",
}

// goName returns an exported Go identifier for a name of a document, which may be any text. It is the same for the same name, so
// it is not unique.
func goName(s string) string {
	list := words(s)
	if list == nil {
		return symbolName(s)
	}
	shouting := strings.ToUpper(s) == s
	var b strings.Builder
	for _, word := range list {
		known, ok := initialisms[strings.ToLower(word)]
		switch {
		case ok:
			b.WriteString(known)
		case shouting:
			b.WriteString(capitalized(strings.ToLower(word)))
		default:
			b.WriteString(capitalized(word))
		}
	}
	name := b.String()
	switch first, _ := utf8.DecodeRuneInString(name); {
	case unicode.IsDigit(first) && (s[0] == '+' || s[0] == '-'):
		return symbols[rune(s[0])] + name
	case unicode.IsDigit(first):
		return "N" + name
	case !unicode.IsUpper(first):
		return "X" + name // a letter without case, such as a Chinese one
	}
	return name
}

// symbolName returns an identifier for a name that has neither letters nor digits.
func symbolName(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch name, ok := symbols[r]; {
		case ok:
			b.WriteString(name)
		case !unicode.IsSpace(r):
			fmt.Fprintf(&b, "U%04X", r)
		}
		if b.Len() > 40 {
			break
		}
	}
	if b.Len() == 0 {
		return "Empty"
	}
	return b.String()
}

func capitalized(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// words splits a name into its words: at all characters that are not letters or digits, before a capital after a small letter,
// and before the last capital of several, as in HTTPServer but not in IPv4 and APIs.
func words(s string) (list []string) {
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) || r == utf8.RuneError }) {
		if _, ok := initialisms[strings.ToLower(part)]; ok {
			list = append(list, part)
			continue
		}
		runes, start := []rune(strings.ReplaceAll(part, "OAuth", "Oauth")), 0
		for i := 1; i < len(runes); i++ {
			before, after := unicode.IsUpper(runes[i-1]), i+2 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsLower(runes[i+2])
			if unicode.IsUpper(runes[i]) && (!before || after) {
				list, start = append(list, string(runes[start:i])), i
			}
		}
		list = append(list, string(runes[start:]))
	}
	return list
}

// snakeName returns a name of a tool or an argument, in lower case, of the characters a-z, 0-9 and _; "" if s has none of them.
func snakeName(s string) string {
	var parts []string
	for _, word := range words(s) {
		ascii := strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strings.ToLower(word))
		if ascii != "" {
			parts = append(parts, ascii)
		}
	}
	return strings.Join(parts, "_")
}

// uniqueName returns name, or name with a number after separator if it is taken, and marks the result as taken. The result has
// at most limit bytes; 0 means any number.
func uniqueName(taken map[string]bool, name, separator string, limit int) string {
	numbered := func(n int) string {
		suffix := ""
		if n > 1 {
			suffix = separator + strconv.Itoa(n)
		}
		if unique := name + suffix; limit == 0 || len(unique) <= limit {
			return unique
		}
		return strings.TrimRight(strings.ToValidUTF8(name[:limit-len(suffix)], ""), "_-.") + suffix
	}
	// Thousands of operations may have the same name, so the numbers are not all tried.
	free := 1
	for taken[numbered(free)] {
		free *= 2
	}
	low := free/2 + 1 // free/2 is taken
	free = low + sort.Search(free-low, func(i int) bool { return !taken[numbered(low+i)] })
	unique := numbered(free)
	taken[unique] = true
	return unique
}

// reservedNames returns a new set of the exported identifiers of a generated package that are not made of a document.
func reservedNames() map[string]bool { return set("Client File TestExamples TestTools Tools") }

// reservedFiles returns a new set of the names of files that are not made of a document, and of those that Windows reserves.
func reservedFiles() map[string]bool {
	return set("api client encode main oauth tools types con prn aux nul com1 com2 com3 com4 com5 com6 com7 com8 com9 lpt1 lpt2 lpt3 lpt4 lpt5 lpt6 lpt7 lpt8 lpt9")
}

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

// referenceName returns the Go name that a reference suggests, "" if it is the place of a schema and not the name of one.
func referenceName(ref string) string {
	file, fragment, _ := strings.Cut(ref, "#")
	if fragment == "" {
		file = file[strings.LastIndexByte(file, '/')+1:]
		for _, ext := range []string{".yaml", ".yml", ".json", ".schema"} {
			file = strings.TrimSuffix(file, ext)
		}
		return goName(unescaped(file))
	}
	segments := strings.Split(fragment, "/")
	at := max(slices.Index(segments, "schemas"), slices.Index(segments, "$defs"), slices.Index(segments, "definitions"))
	if slices.Contains(segments, "paths") || at+1 >= len(segments) {
		return ""
	}
	var name strings.Builder
	for _, segment := range segments[at+1:] {
		switch segment {
		case "properties", "items", "allOf", "oneOf", "anyOf", "":
		default:
			name.WriteString(goName(unescaped(segment)))
		}
	}
	return name.String()
}
