package openapi

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pb33f/libopenapi/datamodel/high/base"
	"github.com/pb33f/libopenapi/orderedmap"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// maxRawSchema is the size of the largest schema of raw JSON. Larger schemas are too expensive for a model.
const maxRawSchema = 8 << 10

// rawType returns the type of a value that no Go type describes. An argument has its JSON Schema.
func (t *typer) rawType(p place, sh *shape, u use) typeRef {
	raw := typeRef{Go: "json.RawMessage"}
	if u.Result {
		return raw
	}
	w := &rawSchema{typer: t, place: p}
	text := string(w.of(sh))
	switch _, err := reflectschema.ParseSchema([]byte(text)); {
	case w.size > maxRawSchema || len(text) > maxRawSchema:
		t.note(p, "the schema of the choice is larger than %d bytes, so any value is accepted", maxRawSchema)
		return raw
	case err != nil:
		t.note(p, "the schema of the choice is not valid, so any value is accepted: %s", err)
		return raw
	case text == "{}":
		return raw
	}
	want := cmp.Or(sh.name, scalarsName(text), p.GoName)
	key := want + " " + text
	if e := t.raw[key]; e != nil {
		return e.ref
	}
	doc := t.docOf(sh)
	if sh.name == "" && want != p.GoName {
		doc = "" // of one of the places that share the type
	}
	e := t.declare(typeKey{schemaID{key, 0}, u, ""}, want, &Decl{Kind: DeclRaw, Doc: doc, Schema: text})
	t.raw[key] = e
	return e.ref
}

// scalarsName returns a name such as StringOrInteger for a schema that only lists types, "" for another.
func scalarsName(text string) string {
	var schema map[string][]map[string]string
	if err := json.Unmarshal([]byte(text), &schema); err != nil || len(schema) != 1 {
		return ""
	}
	names := make([]string, 0, len(schema["anyOf"]))
	for _, branch := range schema["anyOf"] {
		if len(branch) != 1 || branch["type"] == "" {
			return ""
		}
		names = append(names, capitalized(branch["type"]))
	}
	return strings.Join(names, "Or")
}

// A rawSchema writes a schema as JSON Schema 2020-12 without references. A schema within itself is {}, which allows everything.
type rawSchema struct {
	typer *typer
	place place
	above []schemaID
	size  int // of everything written so far; nothing is added beyond maxRawSchema
}

func (w *rawSchema) proxy(s *base.SchemaProxy) json.RawMessage {
	return w.of(w.typer.shape(w.place, s))
}

func (w *rawSchema) of(sh *shape) json.RawMessage {
	if sh.BooleanSchema != nil || slices.Contains(w.above, sh.id) || w.size > maxRawSchema {
		return json.RawMessage("{}")
	}
	w.above = append(w.above, sh.id)
	defer func() { w.above = w.above[:len(w.above)-1] }()
	var members []string
	add := func(name string, value any) {
		members = append(members, quoted(name)+":"+quoted(value))
		w.size += len(name) + len(quoted(value))
	}
	if doc := plainText(sh.doc, 200); doc != "" && len(w.above) > 1 {
		add("description", doc)
	}
	types := sh.types()
	if slices.Equal(types, []string{"null"}) {
		types = nil
	}
	if values := valuesOf(sh, types); values != nil {
		add("enum", values)
	}
	if sh.nullable && len(types) > 0 {
		types = append(slices.Clip(types), "null")
	}
	var branches []json.RawMessage // Several types are branches: some clients refuse lists of types.
	switch {
	case len(types) == 1:
		add("type", types[0])
	case sh.branches == nil:
		for _, name := range types {
			branches = append(branches, json.RawMessage(`{"type":`+quoted(name)+"}"))
		}
	case len(types) > 1:
		add("type", types)
	}
	for _, name := range types {
		w.constraints(sh, name, add)
	}
	branches = append(branches, w.list(sh.branches)...)
	if sh.branches != nil && sh.nullable && len(types) == 0 {
		branches = append(branches, json.RawMessage(`{"type":"null"}`))
	}
	if branches != nil {
		add("anyOf", branches)
	}
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}

func (w *rawSchema) list(proxies []*base.SchemaProxy) (schemas []json.RawMessage) {
	for _, s := range proxies {
		schemas = append(schemas, w.proxy(s))
	}
	return schemas
}

// valuesOf returns the possible values that are of the types.
func valuesOf(sh *shape, types []string) (list []any) {
	listed := make(map[string]bool)
	for _, value := range sh.values() {
		if data := jsonOf(value); hasType(data, types) && !listed[data] {
			listed[data], list = true, append(list, json.RawMessage(data))
		}
	}
	if list != nil && sh.nullable {
		list = append(list, nil)
	}
	return list
}

// hasType reports whether a JSON value is of one of the types; nil is any type.
func hasType(data string, types []string) bool {
	name := map[byte]string{'"': "string", '{': "object", '[': "array", 't': "boolean", 'f': "boolean", 'n': "null"}[data[0]]
	return types == nil || slices.Contains(types, name) || name == "" && (slices.Contains(types, "number") || slices.Contains(types, "integer") && !strings.ContainsAny(data, ".eE"))
}

// constraints adds the keywords for values of a type.
func (w *rawSchema) constraints(sh *shape, name string, add func(name string, value any)) {
	var words []string
	switch {
	case name == "object":
		w.members(sh, add)
		words = sh.memberCounts()
	case name == "array":
		if len(sh.PrefixItems) > 0 {
			add("prefixItems", w.list(sh.PrefixItems))
		}
		if sh.Items != nil && sh.Items.IsA() {
			add("items", w.proxy(sh.Items.A))
		}
		words = sh.sizes()
	case sh.values() != nil:
	case name == "string":
		words = sh.lengths()
	case name == "integer", name == "number" && !slices.Contains(sh.types(), "integer"):
		words = sh.bounds()
	}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		add(name, json.RawMessage(cmp.Or(value, "true")))
	}
	if name != "string" || sh.values() != nil {
		return
	}
	if sh.Pattern != "" && w.typer.try(probes["string"], []string{keyword("pattern", sh.Pattern)}) == nil {
		add("pattern", sh.Pattern)
	}
	if slices.Contains(formats, sh.Format) || sh.Format == "date" || sh.Format == "date-time" {
		add("format", sh.Format)
	}
}

// members adds the keywords for the members of an object.
func (w *rawSchema) members(sh *shape, add func(name string, value any)) {
	var properties, required []string
	if orderedmap.Len(sh.Properties) == 0 { // a branch that adds a rule
		required = sh.Required
	}
	for name, property := range sh.Properties.FromOldest() {
		inner := w.typer.shape(w.place, property)
		if inner.readOnly {
			continue
		}
		properties = append(properties, quoted(name)+":"+string(w.of(inner)))
		if slices.Contains(sh.Required, name) {
			required = append(required, name)
		}
	}
	if properties != nil {
		add("properties", json.RawMessage("{"+strings.Join(properties, ",")+"}"))
	}
	if required != nil {
		add("required", required)
	}
	if sh.AdditionalProperties != nil && sh.AdditionalProperties.IsA() {
		add("additionalProperties", w.proxy(sh.AdditionalProperties.A))
	}
}

// quoted returns a string, a list, or JSON as JSON.
func quoted(v any) string {
	data, _ := json.Marshal(v) //nolint:errchkjson // strings and valid JSON have no error
	return string(data)
}
