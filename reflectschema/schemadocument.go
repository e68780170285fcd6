package reflectschema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// A schemaWriter writes a schema as its own MarshalJSON does, but for the order of the
// keywords and for booleans, see render. That one marshals each schema once for every level
// that it stands below the root, which takes longer than all the rest of a derivation.
type schemaWriter struct {
	out    []byte
	extras []extra // of the schema at hand, that are still to be written
	given  map[string]any
	err    error
}

// An extra is a member that jsonschema.Schema has no field for.
type extra struct {
	name string
	rank int
}

// schema writes a schema that stands under a keyword.
func (w *schemaWriter) schema(keyword string, s *jsonschema.Schema) {
	if b, ok := booleanOf(s); ok {
		w.out = append(w.out, boolText(keyword, b)...)
		return
	}
	outer, given := w.extras, w.given
	w.extras, w.given = nil, s.Extras
	for name := range s.Extras {
		w.extras = append(w.extras, extra{name, jsondoc.Reading(name)})
	}
	slices.SortFunc(w.extras, func(a, b extra) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.name, b.name)) })
	w.out = append(w.out, '{')
	w.usual(s)
	w.unusual(s)
	w.named("$defs", s.Definitions)
	w.extrasBefore(math.MaxInt)
	w.close('}')
	w.extras, w.given = outer, given
}

// hiddenFields are the fields of jsonschema.Schema that only its own package can set.
var hiddenFields = func() (indexes []int) {
	t := reflect.TypeFor[jsonschema.Schema]()
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			indexes = append(indexes, i)
		}
	}
	return indexes
}()

// booleanOf reports whether s is a boolean schema, and which. The package jsonschema keeps that in a hidden field and
// shows it only in what it writes, which takes long for other schemas.
func booleanOf(s *jsonschema.Schema) (value, ok bool) {
	v := reflect.ValueOf(s).Elem()
	if !slices.ContainsFunc(hiddenFields, func(i int) bool { return !v.Field(i).IsZero() }) {
		return false, false
	}
	text, err := s.MarshalJSON()
	return string(text) == "true", err == nil && (string(text) == "true" || string(text) == "false")
}

// usual writes the keywords in the order in which people read them; it is that of [jsondoc.Reading].
func (w *schemaWriter) usual(s *jsonschema.Schema) {
	w.text("title", s.Title)
	w.text("description", s.Description)
	w.text("type", s.Type)
	w.text("$ref", s.Ref)
	if s.Const != nil {
		w.value("const", s.Const)
	}
	w.values("enum", s.Enum)
	w.text("format", s.Format)
	w.text("contentEncoding", s.ContentEncoding)
	w.text("pattern", s.Pattern)
	w.list("anyOf", s.AnyOf)
	w.list("oneOf", s.OneOf)
	w.list("allOf", s.AllOf)
	w.one("items", s.Items)
	w.properties(s)
	w.texts("required", s.Required)
	w.one("additionalProperties", s.AdditionalProperties)
	w.one("propertyNames", s.PropertyNames)
	w.number("minimum", s.Minimum)
	w.number("exclusiveMinimum", s.ExclusiveMinimum)
	w.number("maximum", s.Maximum)
	w.number("exclusiveMaximum", s.ExclusiveMaximum)
	w.number("multipleOf", s.MultipleOf)
	w.count("minLength", s.MinLength)
	w.count("maxLength", s.MaxLength)
	w.count("minItems", s.MinItems)
	w.count("maxItems", s.MaxItems)
	w.flag("uniqueItems", s.UniqueItems)
	w.count("minProperties", s.MinProperties)
	w.count("maxProperties", s.MaxProperties)
	if s.Default != nil {
		w.value("default", s.Default)
	}
	w.values("examples", s.Examples)
	w.flag("deprecated", s.Deprecated)
	w.flag("readOnly", s.ReadOnly)
	w.flag("writeOnly", s.WriteOnly)
}

// unusual writes the rest in the order of the fields.
func (w *schemaWriter) unusual(s *jsonschema.Schema) {
	w.text("$schema", s.Version)
	w.text("$id", string(s.ID))
	w.text("$anchor", s.Anchor)
	w.text("$dynamicRef", s.DynamicRef)
	w.text("$comment", s.Comments)
	w.one("not", s.Not)
	w.one("if", s.If)
	w.one("then", s.Then)
	w.one("else", s.Else)
	w.named("dependentSchemas", s.DependentSchemas)
	w.list("prefixItems", s.PrefixItems)
	w.one("contains", s.Contains)
	w.named("patternProperties", s.PatternProperties)
	w.count("maxContains", s.MaxContains)
	w.count("minContains", s.MinContains)
	if len(s.DependentRequired) > 0 {
		w.value("dependentRequired", s.DependentRequired)
	}
	w.text("contentMediaType", s.ContentMediaType)
	w.one("contentSchema", s.ContentSchema)
}

// name begins a member, after those extras that come before it.
func (w *schemaWriter) name(keyword string) {
	if len(w.given) > 0 {
		if _, both := w.given[keyword]; both {
			w.fail(fmt.Errorf("%q is both a keyword and among the extras", keyword))
		}
		w.extrasBefore(jsondoc.Reading(keyword))
	}
	w.out = append(append(appendMemberComma(w.out), '"'), keyword...)
	w.out = append(w.out, '"', ':')
}

// extrasBefore writes the extras with a rank less than this.
func (w *schemaWriter) extrasBefore(rank int) {
	for len(w.extras) > 0 && w.extras[0].rank < rank {
		name := w.extras[0].name
		w.extras = w.extras[1:]
		w.out = append(jsondoc.AppendString(appendMemberComma(w.out), name), ':')
		w.extra(name, w.given[name])
	}
}

// extra writes the value of an extra, which may hold schemas of whatever Go type.
func (w *schemaWriter) extra(name string, value any) {
	switch value := value.(type) {
	case *jsonschema.Schema:
		w.schema(name, value)
		return
	case []*jsonschema.Schema:
		w.schemas(name, value)
		return
	case map[string]*jsonschema.Schema:
		w.byName(name, value)
		return
	}
	d, err := valueDocument(value)
	if err != nil {
		w.fail(err)
		return
	}
	if how := jsondoc.HeldBy(name); how != 0 {
		d = d.MapHeld(how, func(held *jsondoc.Value) *jsondoc.Value {
			if !held.IsSchema() {
				return held
			}
			return tidy(name, held.MapSchemas(tidy))
		})
	}
	w.out = d.AppendTo(w.out)
}

// appendMemberComma separates what follows from a member or an element before it.
func appendMemberComma(dst []byte) []byte {
	if last := dst[len(dst)-1]; last != '{' && last != '[' {
		dst = append(dst, ',')
	}
	return dst
}

func (w *schemaWriter) fail(err error) { w.err = cmp.Or(w.err, err) }

func (w *schemaWriter) close(bracket byte) { w.out = append(w.out, bracket) }

func (w *schemaWriter) text(keyword, s string) {
	if s != "" {
		w.name(keyword)
		w.out = jsondoc.AppendString(w.out, s)
	}
}

func (w *schemaWriter) texts(keyword string, list []string) {
	if len(list) == 0 {
		return
	}
	w.name(keyword)
	w.out = append(w.out, '[')
	for _, s := range list {
		w.out = jsondoc.AppendString(appendMemberComma(w.out), s)
	}
	w.close(']')
}

func (w *schemaWriter) flag(keyword string, is bool) {
	if is {
		w.name(keyword)
		w.out = append(w.out, "true"...)
	}
}

func (w *schemaWriter) count(keyword string, n *uint64) {
	if n != nil {
		w.name(keyword)
		w.out = strconv.AppendUint(w.out, *n, 10)
	}
}

func (w *schemaWriter) number(keyword string, n json.Number) {
	if n == "" {
		return
	}
	r := rules.Reader{Data: []byte(n)}
	if _, ok := r.Number(); !ok || !r.Ended() {
		w.fail(fmt.Errorf("%s: %q is not a number", keyword, n))
	}
	w.name(keyword)
	w.out = append(w.out, n...)
}

// value writes a value of any type, as encoding/json does.
func (w *schemaWriter) value(keyword string, value any) {
	w.name(keyword)
	d, err := valueDocument(value)
	if err != nil {
		w.fail(err)
		return
	}
	w.out = d.AppendTo(w.out)
}

func (w *schemaWriter) values(keyword string, list []any) {
	if len(list) > 0 {
		w.value(keyword, list)
	}
}

func (w *schemaWriter) one(keyword string, s *jsonschema.Schema) {
	if s != nil {
		w.name(keyword)
		w.schema(keyword, s)
	}
}

func (w *schemaWriter) list(keyword string, list []*jsonschema.Schema) {
	if len(list) > 0 {
		w.name(keyword)
		w.schemas(keyword, list)
	}
}

func (w *schemaWriter) schemas(keyword string, list []*jsonschema.Schema) {
	w.out = append(w.out, '[')
	for _, s := range list {
		w.out = appendMemberComma(w.out)
		w.schema(keyword, s)
	}
	w.close(']')
}

func (w *schemaWriter) named(keyword string, byName map[string]*jsonschema.Schema) {
	if len(byName) > 0 {
		w.name(keyword)
		w.byName(keyword, byName)
	}
}

func (w *schemaWriter) byName(keyword string, byName map[string]*jsonschema.Schema) {
	w.out = append(w.out, '{')
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		w.out = append(jsondoc.AppendString(appendMemberComma(w.out), name), ':')
		w.schema(keyword, byName[name])
	}
	w.close('}')
}

// properties are in an order of their own, and there even when there are none.
func (w *schemaWriter) properties(s *jsonschema.Schema) {
	if s.Properties == nil {
		return
	}
	w.name("properties")
	w.out = append(w.out, '{')
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		w.out = append(jsondoc.AppendString(appendMemberComma(w.out), p.Key), ':')
		w.schema("properties", p.Value)
	}
	w.close('}')
}

// valueDocument is a value as encoding/json writes it, with the fewest escapes.
func valueDocument(value any) (*jsondoc.Value, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	v := jsontext.Value(raw)
	if err := v.Format(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return jsondoc.Parse(v), nil
}
