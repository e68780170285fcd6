package authority

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/processor"
)

// The dialects that schemas may be written in.
var (
	Draft2020 = jsonschema.Draft2020
	Draft7    = jsonschema.Draft7
)

// DraftOf returns the dialect that a $schema names, 2020-12 when it is empty,
// and nil when it is not one of ours.
func DraftOf(uri string) *jsonschema.Draft {
	uri = strings.TrimSuffix(uri, "#")
	if rest, ok := strings.CutPrefix(uri, "http://"); ok {
		uri = "https://" + rest
	}
	switch uri {
	case "", "https://json-schema.org/draft/2020-12/schema":
		return Draft2020
	case "https://json-schema.org/draft-07/schema":
		return Draft7
	default:
		return nil
	}
}

// DocumentURL names every document to its authority; it is never shown.
const DocumentURL = "urn:mcptool:schema"

// Authority is a compiled schema, which finds out whether a value fits it, and why not. It is immutable and safe for
// concurrent use.
type Authority struct {
	Root *jsonschema.Schema
	// at finds a compiled subschema by its location, for the words of an answer.
	At map[string]*jsonschema.Schema
	// doc is the document, for showing the part that failed.
	Doc *jsondoc.Value
	// shared are the schemas that more than one schema refers to.
	shared map[*jsonschema.Schema]bool
	// choices are the values of the enums that have many.
	choices map[*jsonschema.Enum]*choices
	// scoped is the location of a $dynamicRef whose target depends on how its schema was
	// reached, so that no part of the schema may be used on its own; empty if there is none, as in every schema of
	// ParseSchema and Compile.
	Scoped string

	// kinds returns the kinds of the values that may fit each schema, for Tolerate.
	kinds func() map[*jsonschema.Schema]kindSet
}

// ErrOutside is what the loader answers: a schema is one document.
var ErrOutside = errors.New("points outside its document")

// noLoader refuses to load anything.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, ErrOutside }

// Compile compiles a document that passed the strict front end, with
// formats asserted. A panic of the compiler becomes an error.
func Compile(raw []byte, dialect *jsonschema.Draft) (*Authority, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(dialect)
	c.AssertFormat()
	for name, check := range timeFormats {
		c.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(v any) error {
			if text, ok := v.(string); ok {
				return check(text)
			}
			return nil
		}})
	}
	return CompileWith(c, raw)
}

// CompileWith is compileAuthority with a compiler of the caller's.
func CompileWith(c *jsonschema.Compiler, raw []byte) (auth *Authority, err error) {
	defer func() {
		if p := recover(); p != nil {
			auth, err = nil, fmt.Errorf("reflectschema: the schema cannot be compiled: %v", p)
		}
	}()
	doc, err := Parse(raw)
	if err != nil {
		return nil, err
	}
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patternEngine)
	if err := c.AddResource(DocumentURL, doc.Any); err != nil {
		return nil, err
	}
	root, err := c.Compile(DocumentURL)
	if err != nil {
		return nil, err
	}
	auth = &Authority{Root: root, At: map[string]*jsonschema.Schema{}, Doc: jsondoc.Parse(raw)}
	auth.adopt(root)
	auth.shared = sharedIn(auth.At)
	auth.indexEnums(FewChoices)
	auth.Scoped = auth.findScoped()
	auth.kinds = sync.OnceValue(auth.findKinds)
	return auth, nil
}

// adopt visits every subschema once, and puts our own keywords where those of
// the library cannot be used.
func (a *Authority) adopt(root *jsonschema.Schema) {
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, seen := a.At[s.Location]; seen {
			continue
		}
		a.At[s.Location] = s
		ignoreBesideRef(s)
		if s.Format != nil {
			s.Format = boundFormat(s.Format)
		}
		shieldByLength(s)
		todo = append(todo, subschemas(s)...)
		if s.PropertyNames != nil {
			s.Extensions = append(s.Extensions, propertyNames{s.PropertyNames})
			s.PropertyNames = nil
		}
		separate(s)
		if s.UniqueItems {
			s.Extensions = append(s.Extensions, uniqueItems{})
			s.UniqueItems = false
		}
	}
}

// ignoreBesideRef drops the keywords beside a $ref in the drafts that ignore them (draft-07, core,
// section 8.3). The library does so for the keywords of draft-04 and compiles those of draft-06 and draft-07.
func ignoreBesideRef(s *jsonschema.Schema) {
	if s.Ref == nil || s.DraftVersion >= 2019 {
		return
	}
	s.Const, s.Contains, s.PropertyNames = nil, nil, nil
	s.If, s.Then, s.Else = nil, nil, nil
}

// findScoped returns the location of a $dynamicRef that may lead elsewhere than to its initial target, empty if there is
// none. That is so where several schemas have its $dynamicAnchor. ($recursiveRef is of no dialect of ours.)
func (a *Authority) findScoped() string {
	reached, written := map[string]int{}, map[string]int{}
	for _, s := range a.At {
		reached[s.DynamicAnchor]++
	}
	countTexts(a.Doc, "$dynamicAnchor", written)
	for _, location := range slices.Sorted(maps.Keys(a.At)) {
		s := a.At[location]
		if s.RecursiveRef != nil {
			return location
		}
		if ref := s.DynamicRef; ref != nil && ref.Anchor != "" && max(reached[ref.Anchor], written[ref.Anchor]) > 1 {
			return location
		}
	}
	return ""
}

// Failures returns what the library found: nil, or the roots of its error trees.
func Failures(err error) []*jsonschema.ValidationError {
	if verr := (*jsonschema.ValidationError)(nil); errors.As(err, &verr) {
		return []*jsonschema.ValidationError{verr}
	}
	return nil
}

// countTexts counts the strings that are members called name, anywhere in d.
func countTexts(d *jsondoc.Value, name string, counts map[string]int) {
	for _, m := range d.Members {
		if m.Name == name && m.Value.Kind == jsontext.KindString {
			counts[m.Value.Text()]++
		}
		countTexts(m.Value, name, counts)
	}
	for _, item := range d.Items {
		countTexts(item, name, counts)
	}
}

// Bounds of what CheckScalar takes.
const (
	scalarText   = 512 // bytes of a text
	scalarNumber = 32  // bytes of a number, which has no exponent: exact arithmetic with thousands of bits costs much
	scalarMany   = 32  // values that it is compared with, and alternatives
)

// CheckScalar returns what is wrong with v, as Check does: with a scalar, or with an array or object that s refuses for its
// type. Known is false if that may take more than some 0.1 ms, and then Check is to be asked.
func (a *Authority) CheckScalar(s *jsonschema.Schema, v any) (failures []*jsonschema.ValidationError, known bool) {
	defer func() {
		if recover() != nil {
			failures, known = nil, false
		}
	}()
	if a.Scoped != "" || !isCheap(s, v) || slices.ContainsFunc(s.AnyOf, func(arm *jsonschema.Schema) bool { return !isCheap(arm, v) }) {
		return nil, false
	}
	return Failures(s.Validate(v)), true
}

// isCheap reports whether to hold v against s takes few steps. Alternatives within alternatives do not count: plans know none.
func isCheap(s *jsonschema.Schema, v any) bool {
	if s.Ref != nil {
		s = s.Ref // which has none
	}
	switch v := v.(type) {
	case string:
		if len(v) > scalarText || s.Format != nil && s.Format.Name == "regex" {
			return false
		}
		if p, ok := s.Pattern.(*Pattern); s.Pattern != nil && (!ok || p.Work(len(v)) > QuickMatch) {
			return false
		}
	case json.Number:
		if len(v) > scalarNumber || strings.ContainsAny(string(v), "eE") {
			return false
		}
	}
	return (s.Enum == nil || len(s.Enum.Values) <= scalarMany) && len(s.AnyOf) <= scalarMany && len(s.OneOf) <= scalarMany
}

// Check holds v against a part of the schema, which must not be scoped then; the root is all of it. It returns what is
// wrong as the library tells it, at most some more than limit mistakes, and nothing when v fits. An error means that
// there is no verdict; a panic of the library is one, and so is a turn, which may be nil, that does not begin.
func (a *Authority) Check(s *jsonschema.Schema, v Value, limit int, turn *processor.Turn) (failures []*jsonschema.ValidationError, err error) {
	defer func() {
		if p := recover(); p != nil {
			failures, err = nil, ErrPanic
		}
	}()
	if a.Scoped != "" {
		if err := turn.Continue(); err != nil {
			return nil, err
		}
		return Failures(s.Validate(v.Any)), nil
	}
	left := budget{work: maxWork, turn: turn}
	switch valid, known := a.evaluate(s, v.Any, &left); {
	case !known:
		return nil, errTooMuch
	case valid:
		return nil, nil
	case v.Size > WholeSize:
		if err := turn.Continue(); err != nil {
			return nil, err
		}
		if failures := a.walkOver(s, v.Any, limit, left); len(failures) > 0 {
			return failures, nil
		}
		return nil, errTooMuch
	case !a.affordable(s, v.Any, v.Size, &left):
		return nil, ErrOverBudget
	default:
		return Failures(s.Validate(v.Any)), nil
	}
}
