package reflectschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// Compile derives the schema of a Go type, and prepares decoding and encoding of its values. A pointer type has the
// same schema as the type that it points at. The error is a [TypeErrors] with every mistake in the type and in its
// tags.
//
// The result for a type and direction is kept for the life of the process, and further calls return the same
// one. Errors are not kept, so a missing registration can be added later. Compile is safe for concurrent use.
func Compile(t reflect.Type, d Direction) (*Type, error) { return compileAs(t, usage{direction: d}) }

// A usage determines how the schema of a type is published.
type usage struct {
	direction            Direction
	omitsRootDescription bool // see CompileUndescribed
}

func compileAs(t reflect.Type, as usage) (*Type, error) {
	if t == nil {
		return nil, TypeErrors{&typeError{Type: "nil", Reason: "the type is nil", Fix: "pass a concrete type, or the type of any"}}
	}
	if walk.IsSource(t) {
		return compile(t, as)
	}
	return cached(t, as)
}

func compile(t reflect.Type, as usage) (*Type, error) {
	r := walk.NewResolver(codec.Direction(as.direction))
	r.OmitsRootDescription = as.omitsRootDescription
	root := r.Run(t)
	r.CheckZeros()
	d := walk.NewBuilder(r, finish)
	doc := d.Build(root)
	if doc == nil {
		return nil, typeErrors(d.Sorted())
	}
	schema, err := render(doc)
	if err == nil && len(schema.JSON()) > walk.MaxInlined {
		if shared := d.Share(root); shared != nil {
			doc = shared
			schema, err = render(doc)
		}
	}
	var made *Type
	if err != nil {
		d.Refuse(walk.Location{Owner: t}, "the schema cannot be written: "+err.Error(), "correct the JSONSchema method that made it")
	} else {
		schema.ours, schema.object = !d.Hooked, doc.Type == "object"
		made = newType(t, as, schema)
		verify(d, made, doc.Definitions)
	}
	if err := typeErrors(d.Sorted()); err != nil {
		return nil, err
	}
	r.NoteCompiled()
	r.CheckToolTags()
	made.misplaced = typeErrors(r.Sorted()) // of CheckToolTags alone
	return made, nil
}

// verify checks the finished document, if methods contributed to it, and the values in tags. It compiles a schema only
// if there is something to check.
func verify(d *walk.Builder, made *Type, defs jsonschema.Definitions) {
	if d.Hooked {
		if err := made.schema.validate(); err != nil {
			for _, f := range schemaMistakes(err) {
				d.Refuse(walk.Location{Owner: made.goType}, "the schema is not valid: "+f.Reason, "correct the JSONSchema or JSONSchemaExtend method that made it")
			}
			return
		}
		defer vetHooks(d, made)
	}
	if len(d.Checks) == 0 {
		return
	}
	// A single document contains every schema that has values, so that one compilation is enough.
	all := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties(), Definitions: defs}
	names := map[*jsonschema.Schema]string{}
	for _, c := range d.Checks {
		if names[c.Schema] == "" {
			names[c.Schema] = "v" + strconv.Itoa(len(names))
			all.Properties.Set(names[c.Schema], c.Schema)
		}
	}
	schema, err := render(all)
	if err != nil {
		return // cannot happen: the published document was rendered from the same parts
	}
	if schema.rules() == nil { // otherwise, most values can be checked without the authority
		if _, err := schema.compiled(); err != nil {
			return // a method refers to a part of the document that is not in this one
		}
	}
	decodes := len(d.Sorted()) == 0 // otherwise a type may be one that cannot be decoded
	for _, c := range d.Checks {
		name := names[c.Schema]
		if len(c.Listed) > 0 {
			if !slices.ContainsFunc(c.Listed, func(value json.RawMessage) bool { return checkMember(schema, name, value) == nil }) {
				d.Add(c.At, tag.Mistake{Tag: c.Text, Reason: fmt.Sprintf("no value registered for %s satisfies it", c.Node.GoType), Fix: "correct the tag, or drop it"})
			}
			continue
		}
		err := misfit(checkMember(schema, name, c.Value), name)
		if err == "" && decodes {
			err = misfit(decode(c), "")
		}
		if err != "" {
			d.Add(c.At, tag.Mistake{Tag: c.Text, Reason: err, Fix: "correct the value or the tag"})
		}
	}
}

// checkMember checks an object with this member alone.
func checkMember(s *Schema, name string, value json.RawMessage) error {
	return s.Check(slices.Concat([]byte(`{"`+name+`":`), value, []byte("}")))
}

// vetHooks reports mistakes that JSON Schema allows in schemas that methods made. It does nothing if there are other
// mistakes: mistakes in tags have been reported already.
func vetHooks(d *walk.Builder, made *Type) {
	if len(d.Sorted()) > 0 {
		return
	}
	for _, m := range made.schema.document().Mistakes() {
		d.Refuse(walk.Location{Owner: made.goType, Path: m.Path}, m.Found+": "+m.Check.Why, m.Check.Fix+", in the JSONSchema or JSONSchemaExtend method that made it")
	}
}

// decode decodes a value that fits its schema into the Go type, whose methods may still reject it. It accepts all values for
// a [walk.SourceType], whose methods cannot be called.
func decode(c walk.TagValue) error {
	if walk.IsSource(c.Node.GoType) {
		return nil
	}
	if violations := codec.Decode(c.Node, c.Value, reflect.New(c.Node.GoType).Elem()); violations != nil {
		return invalid(violations)
	}
	return nil
}

// misfit describes why the value of a tag does not fit, or returns "" if err is nil. Locations inside the value are
// relative to the member of that name.
func misfit(err error, member string) string {
	if err == nil {
		return ""
	}
	reason := err.Error()
	if invalid := (*InvalidError)(nil); errors.As(err, &invalid) {
		v := invalid.Violations[0]
		v.Path = strings.TrimPrefix(strings.TrimPrefix(v.Path, member), ".")
		reason = strings.TrimSuffix(v.line(), "?")
	}
	return "the value does not fit the field: " + reason
}

// A cacheKey contains everything that the result of Compile depends on.
type cacheKey struct {
	goType reflect.Type
	usage
}

// compiled maps cacheKey to *Type. It grows with the types of the program, which are few and never removed.
var compiled sync.Map

// cached returns the shared result for a type and usage. Errors are not kept, because the members of a union may be
// registered later.
func cached(t reflect.Type, as usage) (*Type, error) {
	key := cacheKey{t, as}
	kept, ok := compiled.Load(key)
	if !ok {
		made, err := compile(t, as)
		if err != nil {
			return nil, err
		}
		kept, _ = compiled.LoadOrStore(key, made)
	}
	return kept.(*Type), nil //nolint:errcheck,forcetypeassert // nothing else is stored
}
