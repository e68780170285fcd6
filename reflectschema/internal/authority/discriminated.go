package authority

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// discriminated is a oneOf or anyOf whose branches are objects told apart by the
// text of one member, however it was written: a value fits one of them exactly
// if it fits the one that its own text names. The library would hold it against
// all. That takes exponential time when branches nest in each other, and what
// is wrong would have to be guessed from the mistakes under all of them.
type discriminated struct {
	name     string // of the member
	texts    []string
	at       map[string]int       // index of a text
	branches []*jsonschema.Schema // one per text
	location string               // of the schema that has the keyword
	draft    int
}

// discriminate returns the keyword for the branches of s, nil if they are not
// told apart by a member that all require.
func discriminate(s *jsonschema.Schema, branches []*jsonschema.Schema) *discriminated {
	if len(branches) == 0 {
		return nil
	}
	first := behindRef(branches[0])
	for _, name := range slices.Sorted(slices.Values(first.Required)) {
		d := &discriminated{name: name, at: map[string]int{}, location: s.Location, draft: s.DraftVersion}
		if !slices.ContainsFunc(branches, func(branch *jsonschema.Schema) bool { return !d.add(branch) }) {
			return d
		}
	}
	return nil
}

// add adds a branch, or reports that it cannot be told from the others.
func (d *discriminated) add(branch *jsonschema.Schema) bool {
	s := behindRef(branch)
	if s.Types == nil || !slices.Equal(s.Types.ToStrings(), []string{"object"}) || !slices.Contains(s.Required, d.name) || s.Properties[d.name] == nil {
		return false
	}
	var values []any
	switch tag := s.Properties[d.name]; {
	case tag.Const != nil:
		values = []any{*tag.Const}
	case tag.Enum != nil:
		values = tag.Enum.Values
	}
	for _, v := range values {
		text, ok := v.(string)
		if _, taken := d.at[text]; !ok || taken {
			return false
		}
		d.at[text] = len(d.texts)
		d.texts, d.branches = append(d.texts, text), append(d.branches, branch)
	}
	return len(values) > 0
}

// behindRef returns what a schema that is a reference refers to: whatever fits
// the one fits the other.
func behindRef(s *jsonschema.Schema) *jsonschema.Schema {
	for range MaxInPlace {
		if s.Ref == nil || len(s.Required) > 0 {
			break
		}
		s = s.Ref
	}
	return s
}

// branch returns the branch that v names, or nil.
func (d *discriminated) branch(v any) *jsonschema.Schema {
	obj, _ := v.(map[string]any)
	text, ok := obj[d.name].(string)
	if !ok {
		return nil
	}
	if i, known := d.at[text]; known {
		return d.branches[i]
	}
	return nil
}

// Validate implements [jsonschema.SchemaExt].
func (d *discriminated) Validate(ctx *jsonschema.ValidatorContext, v any) {
	obj, isObject := v.(map[string]any)
	text, given := obj[d.name]
	switch branch := d.branch(v); {
	case branch != nil:
		ctx.AddErr(ctx.Validate(branch, v, nil))
	case !isObject:
		ctx.AddError(&kind.Type{Got: typeName(v), Want: []string{"object"}})
	case !given:
		ctx.AddError(&kind.Required{Missing: []string{d.name}})
	default:
		at := &jsonschema.Schema{Location: d.near(text), DraftVersion: d.draft, Extensions: []jsonschema.SchemaExt{notAmong(d.texts)}}
		ctx.AddErr(ctx.Validate(at, text, []string{d.name}))
	}
}

// near returns the location of the branch that was probably meant, which is
// where the example comes from, or that of the whole.
func (d *discriminated) near(text any) string {
	word, _ := text.(string)
	if i, known := d.at[suggest.Nearest(word, d.texts)]; known {
		return d.branches[i].Location
	}
	return d.location
}

// notAmong says of every value that it is not one of these.
type notAmong []string

// Validate implements [jsonschema.SchemaExt].
func (texts notAmong) Validate(ctx *jsonschema.ValidatorContext, v any) {
	want := make([]any, len(texts))
	for i, text := range texts {
		want[i] = text
	}
	ctx.AddError(&kind.Enum{Got: v, Want: want})
}

// discriminatedOf returns the keywords of this kind that s has.
func discriminatedOf(s *jsonschema.Schema) (list []*discriminated) {
	for _, ext := range s.Extensions {
		if d, ok := ext.(*discriminated); ok {
			list = append(list, d)
		}
	}
	return list
}

// separate puts the keyword in the place of those of s that it is as good as.
func separate(s *jsonschema.Schema) {
	for _, branches := range []*[]*jsonschema.Schema{&s.OneOf, &s.AnyOf} {
		if d := discriminate(s, *branches); d != nil {
			s.Extensions = append(s.Extensions, d)
			*branches = nil
		}
	}
}

// TextsOf returns the texts of the member of that name if it tells the branches of the schema at a location apart, else
// nil.
func (a *Authority) TextsOf(location, name string) []string {
	if s := a.At[location]; s != nil {
		for _, d := range discriminatedOf(s) {
			if d.name == name {
				return d.texts
			}
		}
	}
	return nil
}
