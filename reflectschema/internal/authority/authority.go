package authority

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// The supported dialects.
var (
	Draft2020 = jsonschema.Draft2020
	Draft7    = jsonschema.Draft7
)

// DraftOf returns the dialect for the value of $schema, 2020-12 if it is empty,
// nil if the dialect is not supported.
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

// DocumentURL is the URL under which every document is compiled. It is never shown.
const DocumentURL = "urn:mcptool:schema"

// Authority is a compiled schema that determines whether values are valid, and why not. It is immutable and safe for
// concurrent use.
type Authority struct {
	Root *jsonschema.Schema
	// At maps locations to compiled subschemas. It is used for messages.
	At map[string]*jsonschema.Schema
	// Doc is the document, of which messages show the part that failed.
	Doc *jsondoc.Value
	// shared are the schemas that more than one schema refers to.
	shared map[*jsonschema.Schema]bool
	// unions are the alternatives that a member discriminates.
	unions map[*jsonschema.Schema]unions
	// choices are the indexes of enums with more than FewChoices values.
	choices map[*jsonschema.Enum]choices
	// Scoped is the location of a $dynamicRef whose target depends on how its schema was reached, so that no part of
	// the schema can be used on its own. It is "" if there is none, as for all schemas of ParseSchema and Compile in
	// package reflectschema.
	Scoped string

	// types returns the types of values that may be valid for each schema. It is used by Tolerate.
	types func() map[*jsonschema.Schema]jsondoc.Types
}

// ErrOutside is the error for a reference to another document, because a schema must be one document.
var ErrOutside = errors.New("points outside its document")

// noLoader is a loader that does not load any document.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, ErrOutside }

// Compile compiles a document, which must be strict JSON (see [Parse]), in the
// dialect unless the document has $schema. Formats are asserted. A panic of the
// compiler becomes an error.
func Compile(raw []byte, dialect *jsonschema.Draft) (*Authority, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(dialect)
	c.AssertFormat()
	return CompileWith(c, raw)
}

// CompileWith is [Compile] with a compiler that the caller has configured.
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
	auth.index()
	auth.Scoped = auth.findScoped()
	return auth, nil
}

// index prepares the compiled schemas for the evaluator.
func (a *Authority) index() {
	a.adopt(a.Root)
	a.shared, a.unions = sharedIn(a.At), unionsIn(a.At)
	a.indexEnums(FewChoices)
	a.types = sync.OnceValue(a.findTypes)
}

// adopt adds all subschemas to a.At, and limits the cost of their formats.
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
			s.Format = formatOf(s.Format)
		}
		todo = append(todo, subschemas(s)...)
	}
}

// ignoreBesideRef removes the keywords beside a $ref in the drafts that ignore them (draft-07, core, section 8.3). The
// library removes only the keywords of draft-04, and compiles those that draft-06 and draft-07 have added.
func ignoreBesideRef(s *jsonschema.Schema) {
	if s.Ref == nil || s.DraftVersion >= 2019 {
		return
	}
	s.Const, s.Contains, s.PropertyNames = nil, nil, nil
	s.If, s.Then, s.Else = nil, nil, nil
}

// findScoped returns the location of a $dynamicRef that may have another target than its initial one, because several
// schemas have its $dynamicAnchor. It returns "" if there is none. A $recursiveRef counts as well, because no supported
// dialect has it.
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

// countTexts counts the string values of members called name, anywhere in d.
func countTexts(d *jsondoc.Value, name string, counts map[string]int) {
	for _, m := range d.Members {
		if m.Name == name && m.Value.Kind == rawjson.String {
			counts[m.Value.Text()]++
		}
		countTexts(m.Value, name, counts)
	}
	for _, item := range d.Items {
		countTexts(item, name, counts)
	}
}

// MetaSchema returns the meta-schema of a dialect, which must be supported. Its $dynamicRefs lead to its root.
func MetaSchema(dialect *jsonschema.Draft) *Authority {
	if dialect == Draft7 {
		return metaDraft7()
	}
	return meta2020()
}

var (
	meta2020   = sync.OnceValue(func() *Authority { return compileMeta("https://json-schema.org/draft/2020-12/schema") })
	metaDraft7 = sync.OnceValue(func() *Authority { return compileMeta("http://json-schema.org/draft-07/schema") })
)

// compileMeta compiles a meta-schema of the library.
func compileMeta(uri string) *Authority {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	auth := &Authority{Root: c.MustCompile(uri), At: map[string]*jsonschema.Schema{}}
	auth.index()
	return auth
}
