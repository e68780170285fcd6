package schemacompare

import (
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Limits of one comparison. Beyond them, the result is [Unknown].
const (
	maxWork     = 400_000 // steps of constant time, except for the length of strings
	maxBranches = 256     // combinations of alternatives for one value
	maxDepth    = 40      // nested schemas that apply to the same value
)

// A Document is a valid schema document in 2020-12 or draft-07. It caches results and must not be used concurrently.
type Document struct {
	root   *jsondoc.Value
	draft7 bool
	// moved is set if a part of the document has an $id, which changes the base of the references in it.
	moved    bool
	asserted []string
	work     int
	patterns map[string]*regexp.Regexp        // nil: not a valid regular expression in Go
	members  map[*jsondoc.Value]objectMembers // cached by get for large objects
}

type objectMembers map[string]*jsondoc.Value

// NewDocument returns a document for a schema whose numbers have small exponents, because they are compared exactly.
// Asserted are extension keywords that can reject values.
func NewDocument(root *jsondoc.Value, asserted ...string) *Document {
	d := &Document{
		root: root, draft7: strings.Contains(root.Get("$schema").Text(), "draft-07"), asserted: asserted, work: maxWork,
		patterns: map[string]*regexp.Regexp{}, members: map[*jsondoc.Value]objectMembers{},
	}
	root.EachSchema(nil, func(_ jsondoc.Path, s *jsondoc.Value) bool {
		d.moved = d.moved || s != root && s.Get("$id") != nil
		return true
	})
	return d
}

// Root returns the schema of the whole document.
func (d *Document) Root() *jsondoc.Value { return d.root }

// spend takes n steps from the budget and reports whether any remain.
func (d *Document) spend(n int) bool {
	d.work -= n
	return d.work > 0
}

// asserts reports whether a keyword can reject values.
func (d *Document) asserts(keyword string) bool {
	return jsondoc.Refuses(keyword) || slices.Contains(d.asserted, keyword)
}

// get returns the member of an object, using an index for large objects.
func (d *Document) get(v *jsondoc.Value, name string) *jsondoc.Value {
	const large = 32
	if v == nil || len(v.Members) < large {
		return v.Get(name)
	}
	index := d.members[v]
	if index == nil {
		index = make(objectMembers, len(v.Members))
		for _, m := range slices.Backward(v.Members) { // the first of two equal names wins
			index[m.Name] = m.Value
		}
		d.members[v] = index
	}
	return index[name]
}

// resolve returns the target of a $ref, or nil if it cannot be determined.
func (d *Document) resolve(ref *jsondoc.Value) *jsondoc.Value {
	pointer, local := jsondoc.LocalPointer(ref.Text())
	if !local || d.moved {
		return nil
	}
	if target := d.root.At(pointer); target.IsSchema() {
		return target
	}
	return nil
}

// matches reports whether a pattern matches text; unknown if Go cannot compile the pattern.
func (d *Document) matches(pattern, text string) verdict {
	re, known := d.patterns[pattern]
	if !known {
		re, _ = regexp.Compile(pattern)
		d.patterns[pattern] = re
	}
	if re == nil || !d.spend(1+len(text)/64) {
		return unknown
	}
	return isTrue(re.MatchString(text))
}

// tuple returns the schemas of the first items of an array, and the schema of the other items, nil if there is none.
func (d *Document) tuple(s *jsondoc.Value) (heads []*jsondoc.Value, rest *jsondoc.Value) {
	items := s.Get("items")
	switch {
	case !d.draft7:
		return s.Get("prefixItems").Elements(), items
	case items.IsArray():
		return items.Items, s.Get("additionalItems")
	default:
		return nil, items
	}
}

// refusesAll reports whether a schema obviously rejects every value.
func (d *Document) refusesAll(s *jsondoc.Value) bool {
	if s.IsFalse() || d.draft7 && s.Get("$ref") != nil { // draft-07 ignores keywords beside $ref
		return s.IsFalse()
	}
	return s.RefusesAll()
}

// Branches splits schemas that apply together into branches: it follows references and makes a branch for each
// alternative. Branches that accept no value are omitted, so an empty list means that no value fits. A non-empty
// obstacle is the reason why the branches allow more than the schemas: a reference was not followed ("$ref"), or there
// are too many branches ("anyOf").
func (d *Document) Branches(schemas ...*jsondoc.Value) (list []Branch, obstacle string) {
	b := brancher{Document: d}
	list = []Branch{{}}
	for _, s := range schemas {
		list = b.product(list, b.schema(s, 0))
	}
	return slices.DeleteFunc(list, func(branch Branch) bool { return d.Types(branch) == 0 }), b.obstacle
}

type brancher struct {
	*Document
	obstacle string
}

func (b *brancher) give(obstacle string) []Branch {
	b.obstacle = obstacle
	return []Branch{{}}
}

func (b *brancher) schema(s *jsondoc.Value, depth int) []Branch {
	switch {
	case b.refusesAll(s):
		return nil
	case s.Kind != rawjson.Object:
		return []Branch{{}}
	case depth > maxDepth || !b.spend(1):
		return b.give("anyOf")
	}
	list := []Branch{{s}}
	if ref := s.Get("$ref"); ref != nil {
		target := []Branch{{}}
		if to := b.resolve(ref); to != nil {
			target = b.schema(to, depth+1)
		} else {
			b.obstacle = "$ref"
		}
		if b.draft7 { // draft-07 ignores keywords beside $ref
			return target
		}
		list = b.product(list, target)
	}
	if s.Get("$dynamicRef") != nil || s.Get("$recursiveRef") != nil {
		b.obstacle = "$ref"
	}
	for _, part := range s.Get("allOf").Elements() {
		list = b.product(list, b.schema(part, depth+1))
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if s.Get(keyword) == nil {
			continue
		}
		var either []Branch
		for _, part := range s.Get(keyword).Elements() {
			if either = append(either, b.schema(part, depth+1)...); len(either) > maxBranches {
				either = b.give("anyOf")
				break
			}
		}
		list = b.product(list, either)
	}
	return list
}

// product combines each branch of one list with each of the other. If there would be too many, it drops other.
func (b *brancher) product(one, other []Branch) []Branch {
	if len(one)*len(other) > maxBranches {
		b.obstacle = "anyOf"
		return one
	}
	list := make([]Branch, 0, len(one)*len(other))
	for _, x := range one {
		for _, y := range other {
			if !b.spend(1 + len(x) + len(y)) {
				return b.give("anyOf")
			}
			list = append(list, joined(x, y))
		}
	}
	return list
}
