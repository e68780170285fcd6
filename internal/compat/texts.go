package compat

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// wordings are the annotations for people and models. The annotation default is not one of them, because programs use
// it.
var wordings = jsondoc.NamesOf(func(k jsondoc.Keyword) bool {
	return k.Role == jsondoc.Annotation && k.About == 0 && k.Name != "default"
})

// compareTexts compares the annotations of two documents, including defaults, at the same locations.
func compareTexts(at string, party Party, was, is *jsondoc.Value) []Change {
	t := texts{party: party, seen: map[*jsondoc.Value]bool{}}
	t.compare(at, was, is)
	return t.changes
}

type texts struct {
	party   Party
	seen    map[*jsondoc.Value]bool
	changes []Change
}

func (t *texts) compare(at string, was, is *jsondoc.Value) {
	if !was.IsObject() || !is.IsObject() || t.seen[was] {
		return
	}
	t.seen[was] = true
	for _, keyword := range wordings {
		a, b := was.Get(keyword), is.Get(keyword)
		if !a.Equal(b) {
			t.add(Wording, at, keyword, a, b)
		}
	}
	if a, b := was.Get("default"), is.Get("default"); t.party == Callers && !a.Equal(b) {
		class := MayBreak // the meaning of a call without it changes
		if a == nil {
			class = Compatible // before, its meaning was not documented
		}
		t.add(class, at, "default", a, b)
	}
	for _, keyword := range []string{"properties", "$defs", "definitions", "patternProperties"} {
		a, b := was.Get(keyword), is.Get(keyword)
		if a == nil || b == nil {
			continue
		}
		prefix := at
		if keyword == "$defs" || keyword == "definitions" {
			prefix = at + " " + keyword
		}
		for _, m := range a.Members {
			t.compare(member(prefix, m.Name), m.Value, b.Get(m.Name))
		}
	}
	t.compare(at+"[]", was.Get("items"), is.Get("items"))
	t.compare(member(at, "*"), was.Get("additionalProperties"), is.Get("additionalProperties"))
	for _, keywords := range [][]string{{"oneOf", "anyOf"}, {"allOf"}, {"prefixItems"}} {
		a, b := elements(was, keywords), elements(is, keywords)
		for i := range min(len(a), len(b)) {
			t.compare(at, a[i], b[i])
		}
	}
}

// elements returns the schemas in the lists of keywords. A union may change from oneOf to anyOf without another meaning.
func elements(s *jsondoc.Value, keywords []string) (list []*jsondoc.Value) {
	for _, keyword := range keywords {
		list = append(list, s.Get(keyword).Elements()...)
	}
	return list
}

func (t *texts) add(class Class, at, keyword string, was, is *jsondoc.Value) {
	say := func(v *jsondoc.Value) string {
		if v == nil {
			return "without " + keyword
		}
		return keyword + " " + short(v)
	}
	c := Change{Class: class, Party: t.party, Path: at, Keyword: keyword, Was: say(was), Now: say(is)}
	if !slices.Contains(t.changes, c) {
		t.changes = append(t.changes, c)
	}
}
