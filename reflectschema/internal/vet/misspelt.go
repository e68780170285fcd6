package vet

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// Misspelt finds keywords and formats that are none, and nearly are.
var Misspelt = &Check{
	Name: "misspelt-keyword",
	Why:  "JSON Schema ignores keywords and formats that it does not know, so nobody applies it",
	Fix:  "write it as it is spelt; keywords of your own start with x-",
	find: misspelt,
}

// maxNameLength is how long a name can be that is taken for a misspelt one, in bytes.
const maxNameLength = 64

// foreignKeywords are near to keywords of JSON Schema, and have a meaning elsewhere:
// in OpenAPI, in older drafts, in editors.
var foreignKeywords = []string{"example", "id", "schema", "comment", "anchor", "vocabulary", "nullable", "optional", "requires", "definition"}

// nearKeywords are slips that are too short, or too far from the keyword, to be told as one.
var nearKeywords = map[string]string{"ref": "$ref", "defs": "$defs", "item": "items", "propertys": "properties", "const_": "const", "enum_": "enum"}

// A spelling is a keyword in the form in which names are compared with it.
type spelling struct{ keyword, folded string }

// spellings are the keywords in the order in which a slip is looked for.
var spellings = func() (list []spelling) {
	for _, k := range jsondoc.Keywords() {
		if k.Dialects != jsondoc.OfMCP {
			list = append(list, spelling{k.Name, strings.ToLower(k.Name)})
		}
	}
	slices.SortFunc(list, func(a, b spelling) int { return cmp.Compare(a.keyword, b.keyword) })
	return list
}()

// misspeltFor returns the keyword that a name was meant to be, "" if it is one or is
// nothing like one.
func misspeltFor(name string) string {
	if _, known := jsondoc.KeywordNamed(name); known || strings.HasPrefix(name, jsondoc.ExtensionPrefix) || slices.Contains(foreignKeywords, name) || len(name) > maxNameLength {
		return ""
	}
	if near := nearKeywords[name]; near != "" {
		return near
	}
	folded := strings.ToLower(betweenWords.Replace(name))
	for _, near := range []func(s spelling, folded string) bool{spelling.sameAs, spelling.isSlip} {
		if i := slices.IndexFunc(spellings, func(s spelling) bool { return near(s, folded) }); i >= 0 {
			return spellings[i].keyword
		}
	}
	return ""
}

// betweenWords removes what other notations put between words.
var betweenWords = strings.NewReplacer("_", "", "-", "", " ", "")

// sameAs reports whether a name is the keyword but for an s at the end.
func (s spelling) sameAs(folded string) bool {
	return strings.TrimSuffix(folded, "s") == s.folded || folded == s.folded
}

// isSlip reports whether a name is the keyword but for a slip, or several in a long one.
func (s spelling) isSlip(folded string) bool {
	most := max(1, len(s.folded)/6)
	if more := len(folded) - len(s.folded); more > most || -more > most {
		return false
	}
	if len(s.folded) < 6 && !suggest.SameLetters(folded, s.folded) {
		return false
	}
	return suggest.Distance(folded, s.folded, most) <= most
}

// maxUnknown is how many unknown names of one schema are compared with the vocabulary:
// nobody misspells more.
const maxUnknown = 50

// formatSpellings are the formats in the form in which names are compared with them.
var formatSpellings = func() (list []spelling) {
	for _, name := range authority.Formats {
		list = append(list, spelling{name, betweenWords.Replace(name)})
	}
	return list
}()

// misspeltFormat returns the format that a name was meant to be, "" if it is one, or is nothing
// like one: formats of one's own are legal.
func misspeltFormat(name string) string {
	if slices.Contains(authority.Formats, name) || len(name) > maxNameLength {
		return ""
	}
	folded := strings.ToLower(betweenWords.Replace(name))
	i := slices.IndexFunc(formatSpellings, func(s spelling) bool { return folded == s.folded || s.isSlip(folded) })
	if i < 0 {
		return ""
	}
	return formatSpellings[i].keyword
}

// misspelt is Misspelt.
func misspelt(s *Subschema, report Report) {
	if format := s.Value.Get("format").Text(); format != "" {
		if meant := misspeltFormat(format); meant != "" {
			report("unknown format "+show.Quote(format, show.MaxName)+", which is nearly "+meant, "format")
		}
	}
	unknown := 0
	for _, m := range s.Value.Members {
		if _, known := jsondoc.KeywordNamed(m.Name); !known {
			unknown++
		}
		if unknown > maxUnknown {
			return
		}
		if meant := misspeltFor(m.Name); meant != "" {
			report("unknown keyword "+show.Quote(m.Name, show.MaxName)+", which is nearly "+meant, m.Name)
		}
	}
}
