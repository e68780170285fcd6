package compat

import "slices"

// wordings are keywords that only say something.
var wordings = []string{"title", "description", "examples", "deprecated", "readOnly", "writeOnly", "enumNames", "$comment"}

// texts compares what two documents say in words, and which defaults, where they have the same place.
func (s *side) texts(now *side, at string, party Party) []Change {
	t := texts{party: party, seen: map[*value]bool{}}
	t.compare(at, s.root, now.root)
	return t.changes
}

// texts gathers the changes of words.
type texts struct {
	party   Party
	seen    map[*value]bool
	changes []Change
}

func (t *texts) compare(at string, was, is *value) {
	if was == nil || is == nil || was.kind != '{' || is.kind != '{' || t.seen[was] {
		return
	}
	t.seen[was] = true
	for _, keyword := range wordings {
		a, b := was.get(keyword), is.get(keyword)
		if !equal(a, b) {
			t.add(Wording, at, keyword, a, b)
		}
	}
	if a, b := was.get("default"), is.get("default"); t.party == Callers && !equal(a, b) {
		class := MayBreak // a call without it means something else now
		if a == nil {
			class = Compatible // it was not said what it means
		}
		t.add(class, at, "default", a, b)
	}
	for _, keyword := range []string{"properties", "$defs", "definitions", "patternProperties"} {
		a, b := was.get(keyword), is.get(keyword)
		if a == nil || b == nil {
			continue
		}
		prefix := at
		if keyword == "$defs" || keyword == "definitions" {
			prefix = at + " " + keyword
		}
		for _, name := range a.names {
			t.compare(member(prefix, name), a.members[name], b.get(name))
		}
	}
	t.compare(at+"[]", was.get("items"), is.get("items"))
	t.compare(member(at, "*"), was.get("additionalProperties"), is.get("additionalProperties"))
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "prefixItems"} {
		a, b := was.get(keyword).list(), is.get(keyword).list()
		for i := range min(len(a), len(b)) {
			t.compare(at, a[i], b[i])
		}
	}
}

func (t *texts) add(class Class, at, keyword string, was, is *value) {
	say := func(v *value) string {
		if v == nil {
			return "without " + keyword
		}
		return keyword + " " + v.short()
	}
	c := Change{Class: class, Party: t.party, Path: at, Keyword: keyword, Was: say(was), Now: say(is)}
	if !slices.Contains(t.changes, c) {
		t.changes = append(t.changes, c)
	}
}
