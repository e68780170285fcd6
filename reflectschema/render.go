package reflectschema

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// render returns the document of a schema: the output of its MarshalJSON without unnecessary escapes, with keywords in
// reading order and with {} instead of true.
//
// MarshalJSON encodes each schema once per level of nesting, so the time of render grows with the size of the document
// times its depth. Types are limited by maxSchemas: 30 levels take about 2 ms.
func render(s *jsonschema.Schema) (*Schema, error) {
	raw, err := s.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	text, err := rawjson.AppendCompact(nil, raw)
	if err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	doc := jsondoc.Parse(text)
	if twice := doc.Duplicate(); twice != nil {
		return nil, fmt.Errorf("format: %s occurs twice", twice.Pointer()) // for example, as a field and among the extras
	}
	return newSchema(tidy("", doc.MapSchemas(tidy)).AppendTo(make([]byte, 0, len(text)))), nil
}

// tidy returns the schema d under a keyword with its keywords in reading order, as an object if clients may expect one.
func tidy(keyword string, d *jsondoc.Value) *jsondoc.Value {
	if d.IsTrue() {
		keyword = "" // {} even for additionalProperties
	}
	d = withoutBoolean(keyword, d)
	members := slices.Clone(d.Members)
	slices.SortStableFunc(members, func(a, b jsondoc.Member) int { return cmp.Compare(jsondoc.Reading(a.Name), jsondoc.Reading(b.Name)) })
	return d.WithParts(members, nil)
}

// A finished is a Schema in the form that the packages walk and codec use.
type finished struct{ *Schema }

func (s finished) Doc() *jsondoc.Value { return s.doc() }

func (s finished) Check(value []byte, work *authority.Budget) (violations []codec.Violation) {
	err := s.check(value, work)
	invalid := (*InvalidError)(nil)
	if err != nil && !errors.As(err, &invalid) { // the context of work has ended
		invalid = invalidAt(nil, Violation{Keyword: keywordCheck, Want: "a value that can be checked"})
	}
	if invalid != nil {
		for _, v := range invalid.Violations {
			violations = append(violations, codec.Violation(v))
		}
	}
	return violations
}

func (s finished) Requirement(value []byte, work *authority.Budget) string {
	if violations := s.Check(value, work); violations != nil {
		v := Violation(violations[0])
		v.Got = ""
		return sentence(v)
	}
	return ""
}

//nolint:gochecknoinits // package walk cannot import this one
func init() {
	walk.ParseSchema = func(schema string) (codec.Schema, error) {
		parsed, err := ParseSchema([]byte(schema))
		return finished{parsed}, err
	}
}

// finish renders and compiles a schema.
func finish(s *jsonschema.Schema) (codec.Schema, error) {
	made, err := render(s)
	if err != nil {
		return nil, err
	}
	_, err = made.compiled()
	return finished{made}, err
}
