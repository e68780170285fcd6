package reflectschema

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// schemaKeywords are the keywords by field of a jsonschema.Schema, "" for a field that
// is none.
var schemaKeywords = func() []string {
	t := reflect.TypeFor[jsonschema.Schema]()
	keywords := make([]string, t.NumField())
	for i := range keywords {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); name != "-" {
			keywords[i] = name
		}
	}
	return keywords
}()

// schemaBoolean finds what says that a schema is true or false.
var schemaBoolean = func() []int {
	f, _ := reflect.TypeFor[jsonschema.Schema]().FieldByName("boolean")
	return f.Index
}()

// documentOf is the schema as its own MarshalJSON writes it. That one marshals each
// schema once for every level that it stands below the root, which takes longer than
// all the rest of a derivation.
func documentOf(s *jsonschema.Schema) (*document, error) {
	v := reflect.ValueOf(s).Elem()
	if b := v.FieldByIndex(schemaBoolean); !b.IsNil() {
		return valueDocument(b.Elem().Bool())
	}
	d := &document{kind: jsontext.KindBeginObject}
	for i, keyword := range schemaKeywords {
		f := v.Field(i)
		if keyword == "" || isEmpty(f) {
			continue
		}
		value := f.Interface()
		if keyword == "properties" {
			properties, err := propertiesOf(s)
			if err != nil {
				return nil, err
			}
			value = properties
		}
		if err := d.put(keyword, value); err != nil {
			return nil, err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Extras)) {
		if d.get(name) != nil {
			return nil, fmt.Errorf("%q is both a keyword and among the extras", name)
		}
		if err := d.put(name, s.Extras[name]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// propertiesOf is the document of the properties, which are in an order of their own.
func propertiesOf(s *jsonschema.Schema) (*document, error) {
	d := &document{kind: jsontext.KindBeginObject}
	for pair := s.Properties.Oldest(); pair != nil; pair = pair.Next() {
		if err := d.put(pair.Key, pair.Value); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// put adds a member: schemas, or a value of any other type.
func (d *document) put(name string, value any) (err error) {
	var v *document
	switch value := value.(type) {
	case *document:
		v = value
	case *jsonschema.Schema:
		v, err = documentOf(value)
	case []*jsonschema.Schema:
		v = &document{kind: jsontext.KindBeginArray}
		for _, s := range value {
			item, err := documentOf(s)
			if err != nil {
				return err
			}
			v.items = append(v.items, item)
		}
	case jsonschema.Definitions:
		return d.put(name, map[string]*jsonschema.Schema(value))
	case map[string]*jsonschema.Schema:
		v = &document{kind: jsontext.KindBeginObject}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if err := v.put(key, value[key]); err != nil {
				return err
			}
		}
	case string:
		v = stringDocument(value)
	case []string:
		v = &document{kind: jsontext.KindBeginArray}
		for _, s := range value {
			v.items = append(v.items, stringDocument(s))
		}
	case json.Number:
		r := reader{data: []byte(value)}
		if _, ok := r.number(); !ok || !r.ended() {
			return fmt.Errorf("%s: %q is not a number", name, value)
		}
		v = &document{kind: jsontext.KindNumber, raw: r.data}
	case *uint64:
		v = &document{kind: jsontext.KindNumber, raw: strconv.AppendUint(nil, *value, 10)}
	default:
		v, err = valueDocument(value)
	}
	d.members = append(d.members, member{name, v})
	return err
}

// valueDocument is a value as encoding/json writes it, with the fewest escapes.
func valueDocument(value any) (*document, error) {
	raw, err := json.Marshal(value)
	if err != nil {
		return nil, fmt.Errorf("marshal: %w", err)
	}
	v := jsontext.Value(raw)
	if err := v.Format(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return nil, fmt.Errorf("format: %w", err)
	}
	return parseDocument(v), nil
}
