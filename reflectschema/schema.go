package reflectschema

import (
	"encoding/json"
	"errors"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/authority"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
	"github.com/mcptool-go/mcptool/reflectschema/internal/vet"
)

// A Schema is a JSON Schema document that is published to clients and that values are checked against. [ParseSchema]
// reads one, and [Type.Schema] returns the schema of a Go type. It is immutable and safe for concurrent use.
type Schema struct {
	raw     json.RawMessage
	dialect *jsonschema.Draft // if raw has no $schema
	ours    bool              // raw was written by render, without the methods of any type
	object  bool              // only if ours: the type at the root is object
	owner   *Type             // the type that it was derived from, nil if none

	// Computed when first needed: many documents are published and never used for checking.
	parsed struct {
		once sync.Once
		doc  *jsondoc.Value
	}
	checker struct {
		once sync.Once
		auth *authority.Authority
		err  error
	}
	ruled struct {
		once  sync.Once
		rules *rules.Rules
	}
	costed struct {
		once sync.Once
		cost int
	}
	examples exampleCache
}

// newSchema returns the schema for a document in compact, strict JSON, and takes ownership of raw. It is for documents
// made in this package; [ParseSchema] is for all others.
func newSchema(raw []byte) *Schema { return newSchemaIn(raw, authority.Draft2020) }

// newSchemaIn is newSchema for a document that is in dialect if it has no $schema.
func newSchemaIn(raw []byte, dialect *jsonschema.Draft) *Schema {
	return &Schema{raw: raw, dialect: dialect}
}

// doc returns the parsed document, which must not be modified.
func (s *Schema) doc() *jsondoc.Value {
	s.parsed.once.Do(func() { s.parsed.doc = jsondoc.Parse(s.raw) })
	return s.parsed.doc
}

// compiled returns the authority for the document.
func (s *Schema) compiled() (*authority.Authority, error) {
	s.checker.once.Do(func() {
		auth, err := authority.Compile(s.raw, s.dialect)
		if err != nil {
			s.checker.err = compileErrors(s.raw, s.dialect, err)
			return
		}
		s.checker.auth = auth
	})
	return s.checker.auth, s.checker.err
}

// rules returns the document in the form that plans use, nil if it has a keyword that they do not support.
func (s *Schema) rules() *rules.Rules {
	s.ruled.once.Do(func() { s.ruled.rules = rules.Of(s.doc()) })
	return s.ruled.rules
}

// JSON returns the document as compact JSON, always the same bytes. The caller must not modify them.
func (s *Schema) JSON() json.RawMessage { return s.raw }

// MarshalJSON returns the document, like [Schema.JSON].
func (s *Schema) MarshalJSON() ([]byte, error) { return s.raw, nil }

// String returns the document, like [Schema.JSON].
func (s *Schema) String() string { return string(s.raw) }

// isObject reports whether the type at the root of the document is "object". It is false for a schema that allows only
// objects by $ref, oneOf or the like, since clients of older protocol revisions read only the root.
func (s *Schema) isObject() bool {
	if s.ours {
		return s.object
	}
	if s.doc().Get("$ref") != nil && s.isDraft7() {
		return false // draft-07 ignores keywords beside a $ref
	}
	return s.doc().Get("type").Text() == "object"
}

// Check checks data, one JSON value, against the schema. The error is an [*InvalidError] if data does not fit, or is not
// strict JSON: RFC 7493 (unique member names, valid UTF-8, no lone surrogates), at most 512 levels deep, with numbers of at
// most 100 bytes and exponents of at most 999. Formats are asserted (JSON Schema Validation, section 7.2.2),
// contentEncoding and contentMediaType are not. Numbers are compared exactly.
//
// Time and memory grow with len(data), up to about 20 million steps; a step is one schema applied to one value. After
// that, the [*InvalidError] reports that the value cannot be checked. Check stops after 1000 violations, and after 100 in one
// of several alternatives.
//
// Any other error means that the schema itself cannot be used; it does not occur with schemas of [ParseSchema] and
// [Compile].
func (s *Schema) Check(data []byte) error { return s.check(data, nil) }

// check is Check within a budget. A nil budget is a new one.
func (s *Schema) check(data []byte, work *authority.Budget) error {
	if s.passes(data, work) {
		return nil
	}
	return s.checkSlow(data, work)
}

// passes reports whether data is known to be valid by the rules, within a budget. A nil budget is a new one.
func (s *Schema) passes(data []byte, work *authority.Budget) bool {
	fast := s.rules()
	if fast == nil {
		return false
	}
	r := rules.Reader{Data: data}
	if work == nil {
		return fast.Check(&r) && r.Ended()
	}
	r.Matched = work.Matched
	ok := fast.Check(&r) && r.Ended()
	work.Matched = r.Matched
	return ok
}

// checkSlow is check by the authority alone.
func (s *Schema) checkSlow(data []byte, work *authority.Budget) error {
	v, err := parseStrict(data)
	if err != nil {
		return withExample(err, s)
	}
	return s.checkValue(v, work)
}

// checkValue is check for a value that the strict parser has accepted.
func (s *Schema) checkValue(v authority.Value, work *authority.Budget) error {
	auth, err := s.compiled()
	if err != nil {
		return err
	}
	return withExample(reporter{auth}.check(auth.Root, v, work), s)
}

// validate returns the mistakes that make a document unusable, as ParseSchema does: invalid parts, references without a
// target, and schemas that could make a check run without a bound.
func (s *Schema) validate() error {
	doc := s.doc()
	if p, deep := deeper(doc, nil); deep {
		return schemaError(p, "is nested more than %d levels deep", maxSchemaDepth)
	}
	c := schemaChecker{doc: doc, dialect: s.dialect, bases: map[string]bool{authority.DocumentURL: true}}
	if c.run(); len(c.errs) > 0 {
		return errors.Join(c.errs...)
	}
	auth, err := s.compiled()
	if err != nil {
		return err
	}
	at := func(location string) jsondoc.Path {
		v, _ := parseStrict(s.raw) // which it is
		p, _ := authority.Locate(v.Any, jsondoc.Tokens(jsondoc.FragmentPointer(location)))
		return p
	}
	if auth.Scoped != "" {
		return schemaError(at(auth.Scoped).Member("$dynamicRef"), "has several possible targets: use $ref, or give each $dynamicAnchor its own name")
	}
	if loop := auth.Loop(); loop != nil {
		return schemaError(at(loop.Location), "refers to itself without end")
	}
	return nil
}

// isDraft7 reports whether the document is in draft-07.
func (s *Schema) isDraft7() bool {
	return authority.DraftOf(s.doc().Get("$schema").Text()) == authority.Draft7
}

// document returns the document of s, for the checks of package vet.
func (s *Schema) document() *vet.Document {
	return &vet.Document{Root: s.doc(), Misfit: misfitIn(func() *Schema { return s })}
}

// misfitIn returns Misfit of [vet.Document]. It calls schema when the first value is checked.
func misfitIn(schema func() *Schema) func(pointer, keyword string, value *jsondoc.Value) string {
	checker := sync.OnceValue(func() *valueChecker { return newValueChecker(schema()) })
	return func(pointer, keyword string, value *jsondoc.Value) string {
		return checker().misfit(pointer, keyword, value)
	}
}

// A valueChecker checks values in a document against the schemas that contain them. A nil valueChecker accepts all values.
type valueChecker struct {
	auth *authority.Authority
	at   map[string]*jsonschema.Schema // by pointer
}

// newValueChecker returns nil if the document cannot be compiled, or if parts of it cannot be used on their own.
func newValueChecker(s *Schema) *valueChecker {
	if s == nil {
		return nil
	}
	auth, err := s.compiled()
	if err != nil || auth.Scoped != "" {
		return nil
	}
	j := &valueChecker{auth: auth, at: make(map[string]*jsonschema.Schema, len(auth.At))}
	for location, part := range auth.At {
		if strings.HasPrefix(location, authority.DocumentURL) {
			j.at[jsondoc.FragmentPointer(location)] = part
		}
	}
	return j
}

// misfit describes why the value of a keyword does not fit the schema at a pointer, or returns "".
func (j *valueChecker) misfit(pointer, keyword string, value *jsondoc.Value) string {
	if j == nil || j.at[pointer] == nil {
		return ""
	}
	v, err := parseStrict(value.AppendTo(nil))
	if err != nil {
		return ""
	}
	invalid := (*InvalidError)(nil)
	if !errors.As((reporter{j.auth}).check(j.at[pointer], v, nil), &invalid) || invalid.Violations[0].Keyword == keywordCheck {
		return ""
	}
	first := invalid.Violations[0]
	if first.Keyword == keyword { // a value of the wrong type is reported as not listed
		return "is not of the type that is asked for"
	}
	return first.line()
}
