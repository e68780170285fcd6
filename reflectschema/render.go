package reflectschema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/rules"
)

// render writes a schema as it is published: compact, with the fewest escapes,
// its keywords in the order in which people read them, true written as {}.
func render(s *jsonschema.Schema) (*Schema, error) {
	w, _ := schemaWriters.Get().(*schemaWriter)
	defer schemaWriters.Put(w)
	*w = schemaWriter{out: w.out[:0]}
	w.schema("", s)
	if w.err != nil {
		return nil, w.err
	}
	return newSchema(bytes.Clone(w.out)), nil
}

// schemaWriters are kept for the sake of what they write into: it grows to the size of the
// largest schema.
var schemaWriters = sync.Pool{New: func() any { return &schemaWriter{out: make([]byte, 0, 4<<10)} }}

// tidy is one schema without what clients stumble over. Some take a boolean for
// no schema at all; only where false is usual does it stay.
func tidy(keyword string, d *jsondoc.Value) *jsondoc.Value {
	if d.IsBool() {
		return jsondoc.Parse([]byte(boolText(keyword, d.Kind == jsontext.KindTrue)))
	}
	ordered := *d
	ordered.Members = slices.Clone(d.Members)
	slices.SortStableFunc(ordered.Members, func(a, b jsondoc.Member) int { return cmp.Compare(jsondoc.Reading(a.Name), jsondoc.Reading(b.Name)) })
	return &ordered
}

// boolText is the schema true or false under a keyword.
func boolText(keyword string, b bool) string {
	switch {
	case b:
		return `{}`
	case jsondoc.Closes(keyword):
		return `false`
	default:
		return `{"not":{}}`
	}
}

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
	w.fields(s)
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

// fields writes the keywords that a schema has fields for.
func (w *schemaWriter) fields(s *jsonschema.Schema) {
	v := reflect.ValueOf(s).Elem()
	for _, f := range mayBeSet(s) {
		field := v.Field(f.index)
		if field.IsZero() {
			continue
		}
		switch value := field.Addr().Interface().(type) {
		case *string:
			w.text(f.keyword, *value)
		case *jsonschema.ID:
			w.text(f.keyword, string(*value))
		case *json.Number:
			w.number(f.keyword, *value)
		case **uint64:
			w.count(f.keyword, *value)
		case *bool:
			w.flag(f.keyword, *value)
		case *any:
			w.value(f.keyword, *value)
		case *[]any:
			w.values(f.keyword, *value)
		case *[]string:
			w.texts(f.keyword, *value)
		case *map[string][]string:
			if len(*value) > 0 {
				w.value(f.keyword, *value)
			}
		case **jsonschema.Schema:
			w.one(f.keyword, *value)
		case *[]*jsonschema.Schema:
			w.list(f.keyword, *value)
		case *map[string]*jsonschema.Schema:
			w.named(f.keyword, *value)
		case *jsonschema.Definitions:
			w.named(f.keyword, *value)
		default:
			w.properties(f.keyword, s)
		}
	}
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
	text, err := valueText(value)
	if err != nil {
		w.fail(err)
		return
	}
	w.out = append(w.out, text...)
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
func (w *schemaWriter) properties(keyword string, s *jsonschema.Schema) {
	w.name(keyword)
	w.out = append(w.out, '{')
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		w.out = append(jsondoc.AppendString(appendMemberComma(w.out), p.Key), ':')
		w.schema(keyword, p.Value)
	}
	w.close('}')
}

// valueDocument returns valueText, parsed.
func valueDocument(value any) (*jsondoc.Value, error) {
	text, err := valueText(value)
	if err != nil {
		return nil, err
	}
	return jsondoc.Parse(text), nil
}

// valueText returns a value as encoding/json writes it, with the fewest escapes.
func valueText(value any) (jsontext.Value, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	v := jsontext.Value(raw)
	if err := v.Format(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return v, nil
}
