package compat

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/schemacompare"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Compare returns the changes from an old snapshot to a new one: the tools, then the prompts, the resources and the
// templates. In each list, changed and missing entries come first, then new entries, both sorted by name or URI. A list
// that only the new snapshot has is one compatible change. Compare ignores resources that are data, see
// [Snapshot.WithoutData]. A nil snapshot counts as empty.
func Compare(was, is *Snapshot) []Change {
	was, is = orEmpty(was).WithoutData(), orEmpty(is).WithoutData()
	changes := compareTools(was.Tools, is.Tools)
	changes = append(changes, comparePrompts(was.Prompts, is.Prompts)...)
	changes = append(changes, compareResources(was.Resources, is)...)
	return append(changes, compareTemplates(was.Templates, is.Templates)...)
}

func orEmpty(s *Snapshot) *Snapshot {
	if s == nil {
		return &Snapshot{}
	}
	return s
}

// recorded returns the change for a list that the old snapshot did not record and that now has n entries.
func recorded(kind Kind, n int) []Change {
	if n == 0 {
		return nil
	}
	things := kind.String()
	if n > 1 {
		things += "s"
	}
	return []Change{{Class: Compatible, Kind: kind, Keyword: "list", Was: "not recorded", Now: fmt.Sprintf("%d %s", n, things)}}
}

func compareTools(old, now []Tool) []Change {
	was, is := byName(old), byName(now)
	renamed := renames(was, is)
	var changes []Change
	for _, name := range slices.Sorted(maps.Keys(was)) {
		before := was[name]
		after, ok := is[name]
		if !ok {
			c := Change{Class: Breaks, Name: name, Keyword: "name", Was: "present", Now: "absent"}
			if renamed[name] != "" {
				c.Now = "called " + renamed[name]
			}
			changes = append(changes, c)
			continue
		}
		changes = append(changes, compareTool(before, after)...)
	}
	taken := slices.Collect(maps.Values(renamed))
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if _, ok := was[name]; !ok && !slices.Contains(taken, name) {
			changes = append(changes, Change{Class: Compatible, Name: name, Keyword: "name", Was: "absent", Now: "present"})
		}
	}
	return changes
}

func byName(tools []Tool) map[string]Tool {
	m := map[string]Tool{}
	for _, t := range tools {
		m[t.Name] = t
	}
	return m
}

// renames returns the new names of tools that are missing and that reappear with the same schemas under a name that was
// unused.
func renames(was, is map[string]Tool) map[string]string {
	renamed := map[string]string{}
	taken := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, ok := is[name]; ok {
			continue
		}
		for _, other := range slices.Sorted(maps.Keys(is)) {
			if _, known := was[other]; !known && !taken[other] && sameText(was[name].InputSchema, is[other].InputSchema) && sameText(was[name].OutputSchema, is[other].OutputSchema) {
				renamed[name], taken[other] = other, true
				break
			}
		}
	}
	return renamed
}

// sameText reports whether two documents differ in white space only.
func sameText(a, b json.RawMessage) bool {
	var x, y bytes.Buffer
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

func compareTool(was, is Tool) []Change {
	changes := compareTitles(was, is)
	changes = append(changes, compareWords(text{"description", was.Description, is.Description})...)
	changes = append(changes, compareHints(was.Annotations, is.Annotations)...)
	changes = append(changes, compareExecution(was.Execution, is.Execution)...)
	changes = append(changes, compareInput(was.InputSchema, is.InputSchema)...)
	changes = append(changes, compareOutput(was.OutputSchema, is.OutputSchema)...)
	for i := range changes {
		changes[i].Name = was.Name
	}
	return changes
}

// A text is the old and the new value of a field written for people and models.
type text struct{ keyword, was, is string }

// compareWords returns one [Wording] change for each text that differs.
func compareWords(texts ...text) []Change {
	var changes []Change
	for _, t := range texts {
		if t.was != t.is {
			changes = append(changes, Change{Class: Wording, Keyword: t.keyword, Was: t.words(t.was), Now: t.words(t.is)})
		}
	}
	return changes
}

// words returns a value of the field with its keyword.
func (t text) words(value string) string {
	if value == "" {
		return "without " + t.keyword
	}
	return t.keyword + " " + quoted(value)
}

// compareTitles compares the titles of a tool, which can be in two fields. A title that moves is one change.
func compareTitles(was, is Tool) []Change {
	before, after := orNone(was.Annotations).Title, orNone(is.Annotations).Title
	titles := slices.DeleteFunc([]string{was.Title, before, is.Title, after}, func(title string) bool { return title == "" })
	sides := cmp.Or(was.Title, before) != "" && cmp.Or(is.Title, after) != ""
	if sides && len(slices.Compact(titles)) == 1 && (was.Title != is.Title || before != after) {
		return []Change{{Class: Wording, Keyword: "title", Was: titleFields(was.Title, before), Now: titleFields(is.Title, after)}}
	}
	return compareWords(text{"title", was.Title, is.Title}, text{"annotations.title", before, after})
}

// titleFields names the fields that have the title of a tool.
func titleFields(title, annotation string) string {
	switch {
	case annotation == "":
		return "titled by title"
	case title == "":
		return "titled by annotations.title"
	default:
		return "titled by title and annotations.title"
	}
}

// argumentsPath is the first step of the paths in input schemas.
const argumentsPath = "arguments"

// compareInput compares the arguments that two input schemas accept.
func compareInput(was, is json.RawMessage) []Change {
	if sameText(was, is) {
		return nil
	}
	return compareSchemas(argumentsPath, Callers, was, is)
}

// compareOutput compares the results that two output schemas allow.
func compareOutput(was, is json.RawMessage) []Change {
	switch {
	case sameText(was, is):
		return nil
	case len(was) == 0:
		return []Change{{Class: Compatible, Party: Readers, Path: "result", Keyword: "outputSchema", Was: "not described", Now: "described"}}
	case len(is) == 0:
		return []Change{{Class: Breaks, Party: Readers, Path: "result", Keyword: "outputSchema", Was: "described", Now: "not described"}}
	}
	return compareSchemas("result", Readers, was, is)
}

// headerKeyword is a keyword of MCP, unknown to JSON Schema, that makes servers reject calls.
const headerKeyword = "x-mcp-header"

// compareSchemas compares two schemas of the arguments or of the result; at is the first step of all paths.
func compareSchemas(at string, party Party, was, is json.RawMessage) []Change {
	old, err := readSchema(was)
	if err != nil {
		return []Change{{Class: MayBreak, Party: party, Path: at, Keyword: "$schema", Was: "an invalid schema: " + err.Error(), Now: "another schema"}}
	}
	now, err := readSchema(is)
	if err != nil {
		return []Change{{Class: MayBreak, Party: party, Path: at, Keyword: "$schema", Was: "another schema", Now: "an invalid schema: " + err.Error()}}
	}
	narrower := schemacompare.Compare(old, now) // values that are no longer valid
	wider := schemacompare.Compare(now, old)    // values that were not valid before
	changes := changesOf(party, speech{at, old, now}.all(narrower), speech{at, now, old}.all(wider), false)
	if party == Readers {
		changes = changesOf(party, speech{at, now, old}.all(wider), speech{at, old, now}.all(narrower), true)
	}
	changes = append(changes, compareTexts(at, party, old.Root(), now.Root())...)
	if len(changes) == 0 && !schemacompare.Same(old, now) {
		changes = append(changes, Change{Class: Compatible, Party: party, Path: at, Keyword: "$schema", Was: "written one way", Now: "written another way, with the same meaning"})
	}
	return changes
}

// changesOf turns differences into changes: breaking for the direction that breaks clients, compatible for the other
// one. With reversed set, the first schema of a breaking difference is the new one.
func changesOf(party Party, breaking, harmless []worded, reversed bool) []Change {
	var changes []Change
	seen := map[[2]string]bool{}
	add := func(class Class, w worded, reversed bool) {
		if key := [2]string{w.path, w.keyword}; !seen[key] {
			seen[key] = true
			c := Change{Class: class, Party: party, Path: w.path, Keyword: w.keyword, Was: w.sub, Now: w.super}
			if reversed {
				c.Was, c.Now = c.Now, c.Was
			}
			changes = append(changes, c)
		}
	}
	for _, class := range []Class{Breaks, MayBreak} {
		for _, w := range breaking {
			if w.sure == (class == Breaks) {
				add(class, w, reversed)
			}
		}
	}
	for _, w := range harmless {
		add(Compatible, w, !reversed)
	}
	return changes
}

// readSchema reads a schema. The error is non-nil if raw is not a valid schema.
func readSchema(raw json.RawMessage) (*schemacompare.Document, error) {
	if _, err := reflectschema.ParseSchema(raw); err != nil {
		return nil, err
	}
	return schemacompare.NewDocument(jsondoc.Parse(raw), headerKeyword), nil
}
