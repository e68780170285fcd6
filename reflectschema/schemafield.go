package reflectschema

import (
	"cmp"
	"encoding/json"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
)

// A schemaField is the field of jsonschema.Schema that holds the value of a keyword.
type schemaField struct {
	keyword string
	index   int
}

// schemaFields are all of them, in the order in which people read their keywords. Those that have no place there follow in
// the order of the fields.
var schemaFields = func() (list []schemaField) {
	t := reflect.TypeFor[jsonschema.Schema]()
	for i := range t.NumField() {
		if keyword, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ","); keyword != "" && keyword != "-" {
			list = append(list, schemaField{keyword, i})
		}
	}
	slices.SortStableFunc(list, func(a, b schemaField) int {
		return cmp.Compare(jsondoc.Reading(a.keyword), jsondoc.Reading(b.keyword))
	})
	return list
}()

// in returns a pointer to the field of a schema.
func (f schemaField) in(s *jsonschema.Schema) any {
	return reflect.ValueOf(s).Elem().Field(f.index).Addr().Interface()
}

// setAmong returns those of the fields that are not zero in a schema.
func setAmong(fields []schemaField, s *jsonschema.Schema) iter.Seq[schemaField] {
	return func(yield func(schemaField) bool) {
		v := reflect.ValueOf(s).Elem()
		for _, f := range fields {
			if !v.Field(f.index).IsZero() && !yield(f) {
				return
			}
		}
	}
}

// schemaFieldOf returns the field of a keyword, and whether there is one.
func schemaFieldOf(keyword string) (f schemaField, ok bool) {
	f, ok = fieldsByKeyword[keyword]
	return f, ok
}

var fieldsByKeyword = func() map[string]schemaField {
	byKeyword := map[string]schemaField{}
	for _, f := range schemaFields {
		byKeyword[f.keyword] = f
	}
	return byKeyword
}()

// isSet reports whether a schema has a value in the field of a keyword.
func isSet(s *jsonschema.Schema, keyword string) bool {
	f, known := schemaFieldOf(keyword)
	return known && !reflect.ValueOf(s).Elem().Field(f.index).IsZero()
}

// unset takes the value of a keyword from a schema.
func unset(s *jsonschema.Schema, keyword string) {
	if f, known := schemaFieldOf(keyword); known {
		reflect.ValueOf(s).Elem().Field(f.index).SetZero()
	}
}

// document returns the value of the field as it is published, nil if there is none, or if it is a list or object.
func (f schemaField) document(s *jsonschema.Schema) *jsondoc.Value {
	switch value := f.in(s).(type) {
	case *string:
		return jsondoc.String(*value)
	case *json.Number:
		return &jsondoc.Value{Kind: jsontext.KindNumber, Raw: []byte(*value)}
	case **uint64:
		return &jsondoc.Value{Kind: jsontext.KindNumber, Raw: strconv.AppendUint(nil, **value, 10)}
	case *bool:
		return &jsondoc.Value{Kind: jsontext.KindTrue, Raw: []byte("true")}
	case **jsonschema.Schema:
		if *value == nil {
			return nil
		}
		if rendered, err := render(*value); err == nil {
			return rendered.doc()
		}
	}
	return nil
}

// setKeyword gives a schema the value of a keyword, in JSON; a list gets one more. It reports whether there is a field for
// it that holds such a value. Schemas are none.
func setKeyword(s *jsonschema.Schema, keyword string, v json.RawMessage) bool {
	f, known := schemaFieldOf(keyword)
	if !known {
		return false
	}
	switch field := f.in(s).(type) {
	case *string:
		*field = text(v)
	case *json.Number:
		*field = json.Number(v)
	case **uint64:
		n, err := strconv.ParseUint(string(v), 10, 64)
		if err != nil {
			return false // such as 1e3, which a tag does not write
		}
		*field = &n
	case *bool:
		*field = string(v) == "true"
	case *any:
		*field = v
	case *[]any:
		*field = append(*field, v)
	default:
		return false
	}
	return true
}

// text reads a JSON string that the parser of the tag has made.
func text(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) != nil {
		return string(v)
	}
	return s
}
