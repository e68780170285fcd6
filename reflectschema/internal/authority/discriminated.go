package authority

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/suggest"
)

// discriminated is a oneOf or anyOf whose alternatives are objects with different strings in one member, the
// discriminator. A value can be valid only for the alternative with its own string, so that the others need not be
// tried. Trying all of them would take exponential time if alternatives are nested, and the failures would not show
// which alternative was meant.
type discriminated struct {
	name     string                        // of the member
	texts    []string                      // in the order of the alternatives
	want     []any                         // the texts
	branches map[string]*jsonschema.Schema // by text
}

// discriminate returns nil if the alternatives do not have a discriminator that all of them require.
func discriminate(branches []*jsonschema.Schema) *discriminated {
	if len(branches) == 0 {
		return nil
	}
	first := behindRef(branches[0])
	for _, name := range slices.Sorted(slices.Values(first.Required)) {
		d := &discriminated{name: name, branches: map[string]*jsonschema.Schema{}}
		if !slices.ContainsFunc(branches, func(branch *jsonschema.Schema) bool { return !d.add(branch) }) {
			return d
		}
	}
	return nil
}

// add adds a branch. It reports false if the branch does not have a discriminator with unique strings.
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
		if !ok || d.branches[text] != nil {
			return false
		}
		d.texts, d.want = append(d.texts, text), append(d.want, v)
		d.branches[text] = branch
	}
	return len(values) > 0
}

// maxReferences limits the references that behindRef follows. No usable schema has nearly as many.
const maxReferences = 64

// behindRef follows the references of a schema. A value that is valid for s is
// also valid for the result.
func behindRef(s *jsonschema.Schema) *jsonschema.Schema {
	for range maxReferences {
		if s.Ref == nil || len(s.Required) > 0 {
			break
		}
		s = s.Ref
	}
	return s
}

// near returns the alternative with the most similar text, nil if none is similar. It was probably meant, so the
// example in the message is made for it.
func (d *discriminated) near(text any) *jsonschema.Schema {
	word, _ := text.(string)
	return d.branches[suggest.Nearest(word, d.texts)]
}

// unions are the discriminated alternatives of a schema; nil if it has none.
type unions struct{ anyOf, oneOf *discriminated }

// unionsIn returns the unions of each schema that has some.
func unionsIn(at map[string]*jsonschema.Schema) map[*jsonschema.Schema]unions {
	found := map[*jsonschema.Schema]unions{}
	for _, s := range at {
		if u := (unions{discriminate(s.AnyOf), discriminate(s.OneOf)}); u != (unions{}) {
			found[s] = u
		}
	}
	return found
}

// TextsOf returns the texts of the member name if it is the discriminator of alternatives of s, otherwise nil.
func (a *Authority) TextsOf(s *jsonschema.Schema, name string) []string {
	u := a.unions[s]
	for _, d := range []*discriminated{u.oneOf, u.anyOf} {
		if d != nil && d.name == name {
			return d.texts
		}
	}
	return nil
}
