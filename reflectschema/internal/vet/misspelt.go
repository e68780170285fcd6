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

// Misspelt finds unknown keywords and formats that resemble known ones.
var Misspelt = &Check{
	Name: "misspelt-keyword",
	Why:  "JSON Schema ignores unknown keywords and formats, so it has no effect",
	Fix:  "correct the spelling; custom keywords start with x-",
	find: misspelt,
}

// foreignKeywords resemble keywords of JSON Schema but have a meaning in OpenAPI, in older drafts or in editors, so
// they are not reported.
var foreignKeywords = []string{"example", "id", "schema", "comment", "anchor", "vocabulary", "nullable", "optional", "requires", "definition"}

// nearKeywords are misspellings that nearest does not recognize: too short, or with more than one difference.
var nearKeywords = map[string]string{"ref": "$ref", "defs": "$defs", "propertys": "properties"}

// maxUnknown is the number of unknown names of one schema that are compared with the keywords, which bounds the time.
const maxUnknown = 50

func misspelt(s *Subschema, report Report) {
	if format := s.Value.Get("format").Text(); format != "" && !slices.Contains(authority.Formats, format) {
		if meant := nearest(format, formats, ""); meant != "" {
			report("unknown format "+show.Quote(format, show.MaxName)+", which is similar to "+meant, "format")
		}
	}
	unknown := 0
	for _, m := range s.Value.Members {
		if _, known := jsondoc.KeywordNamed(m.Name); known || strings.HasPrefix(m.Name, jsondoc.ExtensionPrefix) || slices.Contains(foreignKeywords, m.Name) {
			continue
		}
		if unknown++; unknown > maxUnknown {
			return
		}
		if meant := cmp.Or(nearKeywords[m.Name], nearest(m.Name, keywords, "s")); meant != "" {
			report("unknown keyword "+show.Quote(m.Name, show.MaxName)+", which is similar to "+meant, m.Name)
		}
	}
}

// A spelling is a known name and its folded form, which names are compared with.
type spelling struct{ name, folded string }

var (
	formats  = spellings(authority.Formats)
	keywords = spellings(jsondoc.NamesOf(func(k jsondoc.Keyword) bool { return k.Dialects != jsondoc.OfMCP }))
)

func spellings(names []string) (list []spelling) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		list = append(list, spelling{name, fold(name)})
	}
	return list
}

// nearest returns the known name that differs from name only in case, word separators and a plural, or else the first
// one within an edit distance of 1, or of a sixth of its length. Known names of fewer than six bytes must also have the
// same letters: bind is not a misspelt kind.
func nearest(name string, known []spelling, plural string) (near string) {
	folded := fold(name)
	for _, s := range known {
		most := max(1, len(s.folded)/6)
		switch {
		case strings.TrimSuffix(s.folded, plural) == strings.TrimSuffix(folded, plural):
			return s.name
		case near == "" && suggest.Distance(folded, s.folded, most) <= most && (len(s.folded) >= 6 || suggest.SameLetters(folded, s.folded)):
			near = s.name
		}
	}
	return near
}

// betweenWords removes word separators, as in snake_case and kebab-case.
var betweenWords = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(name string) string { return strings.ToLower(betweenWords.Replace(name)) }
