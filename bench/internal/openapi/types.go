package openapi

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"
)

// A use is the place where a schema is used: in arguments or in a result.
type use struct {
	Result bool
	Patch  bool // of arguments: the body of a PATCH. An absent member means no change, so defaults do not apply
	Files  int  // 2 is a multipart body, and 1 what is in its members, where binary strings are files
}

// A place is where a schema is used. GoName is the name of a type that is declared there.
type place struct{ Operation, Part, GoName string }

// within returns the place of a part.
func (p place) within(part, name string) place {
	if p.Part != "" {
		part = p.Part + ", " + part
	}
	return place{p.Operation, part, p.GoName + name}
}

// of returns the place of a schema, which is the place of its name if it has one.
func (p place) of(sh *shape) place {
	if sh.name != "" {
		return place{"", "schema " + sh.name, sh.name}
	}
	return p
}

// A typeRef is the Go type of a schema. Until finish, the names of declared types in Go are tokens.
type typeRef struct {
	Go       string   // without the pointer of an optional one: string, []Pet, Pet
	Keywords []string // for the jsonschema tag
	Doc      string
	Nullable bool
	Struct   *Decl // of a struct, otherwise nil
}

// A typer translates schemas into Go types. It declares each struct, enum, union and recursive type once per use.
type typer struct {
	api     *API
	schemas *orderedmap.Map[string, *base.SchemaProxy] // of the components, which the mappings of discriminators name
	taken   map[string]bool                            // names that types must not have
	shapes  map[schemaID]*shape
	types   map[typeKey]*declared
	raw     map[string]*declared // by their schemas
	list    []*declared          // by the numbers of their tokens
	noted   map[Note]bool
	tries   map[string]error
	merged  map[string]*base.SchemaProxy // of both, by the schemas that it requires
}

type typeKey struct {
	id      schemaID
	use     use
	without string // the member that a struct of a union lacks, because it is the discriminator
}

// A declared type is one with a name.
type declared struct {
	typeKey
	decl *Decl // its GoName is a token until finish
	want string
	ref  typeRef
	busy bool // a list or map that is being translated
	used bool // by itself, so that it needs a name
}

// newTyper returns a typer. schemas may be nil.
func newTyper(api *API, schemas *orderedmap.Map[string, *base.SchemaProxy], taken map[string]bool) *typer {
	return &typer{
		api: api, schemas: cmp.Or(schemas, orderedmap.New[string, *base.SchemaProxy]()), taken: taken, shapes: make(map[schemaID]*shape),
		types: make(map[typeKey]*declared), raw: make(map[string]*declared), noted: make(map[Note]bool), tries: make(map[string]error),
		merged: make(map[string]*base.SchemaProxy),
	}
}

// note adds a note, once.
func (t *typer) note(p place, format string, args ...any) {
	n := Note{Operation: p.Operation, Part: p.Part, Text: plainText(fmt.Sprintf(format, args...), 400)}
	if !t.noted[n] {
		t.noted[n] = true
		t.api.Notes = append(t.api.Notes, n)
	}
}

// of returns the Go type of a schema.
func (t *typer) of(p place, s *base.SchemaProxy, u use) typeRef {
	return t.ofShape(p, t.shape(p, s), u)
}

func (t *typer) ofShape(p place, sh *shape, u use) typeRef {
	ref := t.goType(p, sh, u)
	ref.Doc, ref.Nullable = plainText(sh.doc, 200), ref.Nullable || sh.nullable
	if u.Result {
		ref.Keywords = nil
	} else {
		ref.Keywords = t.accepted(p, t.probe(ref.Go), ref.Keywords)
	}
	return ref
}

// goType returns the Go type of a shape, with the keywords that the shape has for it.
func (t *typer) goType(p place, sh *shape, u use) typeRef {
	switch {
	case sh.BooleanSchema != nil:
		if !*sh.BooleanSchema {
			t.note(p, "no value fits the schema false, so any value is accepted")
		}
		return typeRef{Go: "any"}
	case sh.branches != nil, sh.Discriminator != nil && orderedmap.Len(sh.Discriminator.Mapping) > 0:
		return t.choice(p, sh, u)
	}
	types := widened(sh.types())
	if len(types) == 0 && sh.values() == nil || slices.Equal(types, []string{"null"}) {
		return typeRef{Go: "any"}
	}
	if len(types) != 1 || !u.Result && len(sh.PrefixItems) > 0 {
		return t.rawType(p, sh, u)
	}
	switch types[0] {
	case "object":
		return t.object(p, sh, u)
	case "array":
		return t.array(p, sh, u)
	case "boolean":
		return typeRef{Go: "bool", Keywords: sh.enum()}
	case "integer":
		name := map[bool]string{true: "int32", false: "int64"}[sh.Format == "int32"]
		return typeRef{Go: name, Keywords: slices.Concat(sh.bounds(), sh.enum())}
	case "number":
		return typeRef{Go: "float64", Keywords: slices.Concat(sh.bounds(), sh.enum())}
	case "string":
		return t.text(sh, u)
	}
	t.note(p, "the type %q is unknown, so any value is accepted", types[0])
	return typeRef{Go: "any"}
}

// text returns the type of strings.
func (t *typer) text(sh *shape, u use) typeRef {
	values := sh.values()
	switch {
	case len(values) > 1 && sh.name != "":
		return typeRef{Go: t.enum(sh), Keywords: sh.enum()}
	case u.Result || values != nil:
		return typeRef{Go: "string", Keywords: sh.enum()}
	case sh.Format == "date-time":
		return typeRef{Go: "time.Time"}
	case sh.Format == "date":
		return typeRef{Go: "datetime.Date"}
	case sh.Format == "byte", strings.EqualFold(sh.ContentEncoding, "base64"):
		return typeRef{Go: "[]byte", Keywords: sh.lengths()}
	case u.Files == 1 && (sh.Format == "binary" || sh.ContentMediaType == "application/octet-stream" || strings.HasPrefix(sh.ContentMediaType, "image/")):
		return typeRef{Go: "File"}
	}
	keywords := sh.lengths()
	if sh.Pattern != "" {
		keywords = append(keywords, keyword("pattern", sh.Pattern))
	}
	if slices.Contains(formats, sh.Format) {
		keywords = append(keywords, "format="+sh.Format)
	}
	return typeRef{Go: "string", Keywords: keywords}
}

// declare adds a type that is declared, and returns it with its token.
func (t *typer) declare(key typeKey, want string, d *Decl) *declared {
	e := &declared{typeKey: key, decl: d, want: want}
	d.GoName = "§" + strconv.Itoa(len(t.list))
	e.ref.Go = d.GoName
	if d.Kind == DeclStruct {
		e.ref.Struct = d
	}
	t.list = append(t.list, e)
	t.types[key] = e
	return e
}

// enum returns the type of a string enum with a name.
func (t *typer) enum(sh *shape) string {
	key := typeKey{id: sh.id}
	if e := t.types[key]; e != nil {
		return e.ref.Go
	}
	d := &Decl{Kind: DeclEnum, Type: "string", Doc: t.docOf(sh)}
	taken := make(map[string]bool)
	for _, value := range sh.values() {
		d.Values = append(d.Values, EnumItem{uniqueName(taken, goName(value.Value), "", 60), value.Value})
	}
	return t.declare(key, sh.name, d).ref.Go
}

// docOf returns the description of a declared type, without the annotations of a place that uses it.
func (t *typer) docOf(sh *shape) string {
	if own := t.shapes[sh.id]; own != nil {
		sh = own
	}
	return plainText(sh.doc, 300)
}

// array returns the type of a list.
func (t *typer) array(p place, sh *shape, u use) typeRef {
	return t.container(p, sh, u, func(p place) typeRef {
		if sh.Items == nil || !sh.Items.IsA() {
			return typeRef{Go: "[]any", Keywords: sh.sizes()}
		}
		item := t.element(p.within("items", "Item"), sh.Items.A, u)
		keywords := sh.sizes()
		if strings.HasPrefix(item.Go, "[]") && item.Go != "[]byte" || strings.HasPrefix(item.Go, "map[") {
			t.drop(p, item.Keywords, "of lists in lists")
		} else {
			for _, word := range item.Keywords { // const is not for elements
				if value, ok := strings.CutPrefix(word, "const="); ok {
					word = "enum=" + value
				}
				keywords = append(keywords, word)
			}
		}
		return typeRef{Go: "[]" + item.Go, Keywords: keywords}
	})
}

// element returns the type of the elements of a list, or of the members of a map.
func (t *typer) element(p place, s *base.SchemaProxy, u use) typeRef {
	ref := t.of(p, s, u)
	switch {
	case !ref.Nullable || !t.needsPointer(ref.Go):
	case u.Result:
		ref.Go = "*" + ref.Go
	default:
		t.note(p, "null is not accepted as an element")
	}
	return ref
}

// container returns the type that make returns for a list or a map, with a name if it contains itself.
func (t *typer) container(p place, sh *shape, u use, translate func(place) typeRef) typeRef {
	key := typeKey{id: sh.id, use: u}
	if e := t.types[key]; e != nil {
		e.used = e.used || e.busy
		return e.ref
	}
	p = p.of(sh)
	e := t.declare(key, p.GoName, &Decl{Kind: DeclNamed, Doc: t.docOf(sh)})
	e.busy = true
	ref := translate(p)
	e.busy = false
	if e.decl.Type = ref.Go; e.used {
		ref.Go = e.decl.GoName
	}
	e.ref = ref
	return ref
}

// object returns the type of an object: a struct if its members are known, otherwise a map.
func (t *typer) object(p place, sh *shape, u use) typeRef {
	u.Files = max(u.Files-1, 0)
	if orderedmap.Len(sh.Properties) > 0 {
		return t.structType(p, sh, u, "")
	}
	values := []*base.SchemaProxy{}
	if sh.AdditionalProperties != nil && sh.AdditionalProperties.IsA() {
		values = append(values, sh.AdditionalProperties.A)
	}
	for _, value := range sh.PatternProperties.FromOldest() {
		values = append(values, value)
		t.note(p, "the names in patternProperties are not checked")
	}
	keywords := sh.memberCounts()
	if len(values) != 1 {
		return typeRef{Go: "map[string]any", Keywords: keywords}
	}
	return t.container(p, sh, u, func(p place) typeRef {
		value := t.element(p.within("values", "Value"), values[0], u)
		t.drop(p, value.Keywords, "of the values of a map")
		return typeRef{Go: "map[string]" + value.Go, Keywords: keywords}
	})
}

// needsPointer reports whether a Go type needs a pointer to be absent or null.
func (t *typer) needsPointer(goType string) bool {
	if d := t.declOf(goType); d != nil {
		return d.Kind != DeclUnion && d.Kind != DeclNamed
	}
	return goType != "any" && goType != "json.RawMessage" && !strings.HasPrefix(goType, "[]") && !strings.HasPrefix(goType, "map[")
}

// isRaw reports whether a Go type is one of raw JSON with a schema.
func (t *typer) isRaw(goType string) bool {
	d := t.declOf(goType)
	return d != nil && d.Kind == DeclRaw
}

// declOf returns the declaration of a token, nil for another type.
func (t *typer) declOf(goType string) *Decl {
	if !strings.HasPrefix(goType, "§") {
		return nil
	}
	return t.list[tokenNumber(goType)].decl
}

// nests reports whether values of a list, map or struct may have lists or objects in them.
func (t *typer) nests(goType string) bool {
	goType = plainType(goType)
	if d := t.declOf(goType); d != nil {
		fields := slices.Clone(d.Fields)
		for _, m := range d.Members {
			fields = append(fields, t.declOf(m.GoName).Fields...)
		}
		return d.Kind == DeclNamed && t.nests(d.Type) || slices.ContainsFunc(fields, func(f Field) bool { return t.compound(f.Type) })
	}
	for _, prefix := range []string{"[]", "map[string]"} {
		if element, ok := strings.CutPrefix(goType, prefix); ok {
			return t.compound(element)
		}
	}
	return false
}

// compound reports whether the values of a type are lists or objects.
func (t *typer) compound(goType string) bool {
	goType = plainType(goType)
	if d := t.declOf(goType); d != nil {
		return d.Kind != DeclEnum && d.Kind != DeclRaw
	}
	return goType == "File" || goType != "[]byte" && strings.HasPrefix(goType, "[]") || strings.HasPrefix(goType, "map[")
}

// plainType returns a type without what makes it optional.
func plainType(goType string) string {
	if inner, ok := strings.CutPrefix(goType, "mcptool.Optional["); ok {
		return strings.TrimSuffix(inner, "]")
	}
	return strings.TrimPrefix(goType, "*")
}
