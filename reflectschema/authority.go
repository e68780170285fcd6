package reflectschema

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// The dialects that schemas may be written in.
var (
	dialect2020   = jsonschema.Draft2020
	dialectDraft7 = jsonschema.Draft7
)

// dialectOf returns the dialect that a $schema names, 2020-12 when it is empty,
// and nil when it is not one of ours.
func dialectOf(uri string) *jsonschema.Draft {
	uri = strings.TrimSuffix(uri, "#")
	if rest, ok := strings.CutPrefix(uri, "http://"); ok {
		uri = "https://" + rest
	}
	switch uri {
	case "", "https://json-schema.org/draft/2020-12/schema":
		return dialect2020
	case "https://json-schema.org/draft-07/schema":
		return dialectDraft7
	default:
		return nil
	}
}

// documentURL names every document to its authority; it is never shown.
const documentURL = "urn:mcptool:schema"

// authority is a compiled schema: the only thing that ever says "invalid". It
// is immutable and safe for concurrent use.
type authority struct {
	root *jsonschema.Schema
	// at finds a compiled subschema by its location, for the words of an answer.
	at map[string]*jsonschema.Schema
	// doc is the document, for showing the part that failed.
	doc *jsondoc.Value
	// shared are the schemas that more than one schema refers to.
	shared map[*jsonschema.Schema]bool
	// scoped is the location of a $dynamicRef whose target depends on how its schema was
	// reached, so that no part of the schema may be used on its own; empty if there is none, as in every schema of
	// ParseSchema and Compile.
	scoped string
}

// errOutside is what the loader answers: a schema is one document.
var errOutside = errors.New("points outside its document")

// noLoader refuses to load anything.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errOutside }

// compileAuthority compiles a document that passed the strict front end, with
// formats asserted. A panic of the compiler becomes an error.
func compileAuthority(raw []byte, dialect *jsonschema.Draft) (*authority, error) {
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
	return compileWith(c, raw)
}

// compileWith is compileAuthority with a compiler of the caller's.
func compileWith(c *jsonschema.Compiler, raw []byte) (auth *authority, err error) {
	defer func() {
		if p := recover(); p != nil {
			auth, err = nil, fmt.Errorf("reflectschema: the schema cannot be compiled: %v", p)
		}
	}()
	doc, err := parseStrict(raw)
	if err != nil {
		return nil, err
	}
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patternEngine)
	if err := c.AddResource(documentURL, doc.any); err != nil {
		return nil, err
	}
	root, err := c.Compile(documentURL)
	if err != nil {
		return nil, err
	}
	auth = &authority{root: root, at: map[string]*jsonschema.Schema{}, doc: jsondoc.Parse(raw)}
	auth.adopt(root)
	auth.shared = sharedIn(auth.at)
	auth.scoped = auth.findScoped()
	return auth, nil
}

// adopt visits every subschema once, and puts our own keywords where those of
// the library cannot be used.
func (a *authority) adopt(root *jsonschema.Schema) {
	todo := []*jsonschema.Schema{root}
	for len(todo) > 0 {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if _, seen := a.at[s.Location]; seen {
			continue
		}
		a.at[s.Location] = s
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

// check returns nil when v fits, and otherwise an *InvalidError. A panic of the
// library means that v could not be checked, and so does not fit.
func (a *authority) check(v strictValue) error { return a.checkBy(a.root, v) }

// checkBy is check by a part of the schema, which must not be scoped then.
func (a *authority) checkBy(s *jsonschema.Schema, v strictValue) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = uncheckable("")
		}
	}()
	if a.scoped != "" {
		return a.report(v.any, failuresOf(s.Validate(v.any)))
	}
	left := maxWork
	switch valid, known := a.evaluate(s, v.any, &left); {
	case !known:
		return uncheckable(errTooMuch.Error())
	case valid:
		return nil
	case v.size > wholeSize:
		if failures := a.walkOver(s, v.any, maxCounted, left); len(failures) > 0 {
			return a.report(v.any, failures)
		}
		return uncheckable(errTooMuch.Error())
	case !a.affordable(s, v.any, v.size, &left):
		return uncheckable(errOverBudget.Error())
	default:
		return a.report(v.any, failuresOf(s.Validate(v.any)))
	}
}

// findScoped returns the location of a $dynamicRef that may lead elsewhere than to its initial target, empty if there is
// none. That is so where several schemas have its $dynamicAnchor. ($recursiveRef is of no dialect of ours.)
func (a *authority) findScoped() string {
	reached, written := map[string]int{}, map[string]int{}
	for _, s := range a.at {
		reached[s.DynamicAnchor]++
	}
	countTexts(a.doc, "$dynamicAnchor", written)
	for _, location := range slices.Sorted(maps.Keys(a.at)) {
		s := a.at[location]
		if s.RecursiveRef != nil {
			return location
		}
		if ref := s.DynamicRef; ref != nil && ref.Anchor != "" && max(reached[ref.Anchor], written[ref.Anchor]) > 1 {
			return location
		}
	}
	return ""
}

// wantCheckable is what a violation wants where there is no verdict.
const wantCheckable = "a value that can be checked"

// uncheckable is the answer when there is no verdict: what cannot be checked
// does not fit.
func uncheckable(reason string) *InvalidError {
	return invalidAt(nil, Violation{Keyword: keywordCheck, Want: wantCheckable, Got: reason})
}

// failuresOf returns what the library found: nil, or the roots of its error trees.
func failuresOf(err error) []*jsonschema.ValidationError {
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
