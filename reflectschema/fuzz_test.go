package reflectschema_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// FuzzDecode decodes bytes into types of every kind. The result is a value or an InvalidError. Accepted data is strict
// JSON and fits the schema, and the value encodes to data that decodes to the same value.
func FuzzDecode(f *testing.F) {
	for _, seed := range strictSeeds {
		f.Add([]byte(seed))
	}
	for _, seed := range []string{
		`{"query":"x","limit":1e1,"exact":null,"page":{"sort":{}},"filters":[{"field":"a","op":"lt","tags":[]}],"by_name":{"k":{"field":""}}}`,
		`{"id":"a","bool":true,"int":-9223372036854775808,"uint":18446744073709551615,"small":-1.0,"float":-0,"f32":1e-45,"string":"\ud83d\ude00","bytes":"AA==",` +
			`"time":"2026-01-31T09:30:00.5+01:00","number":1e2,"raw":{"b":[ 1]},"any":{"x":9007199254740993},"list":[],"array":[true,false],"map":{"a":["b"]},"keys":{"-1":1},"quoted":"7","tree":{"name":"","kids":[]}}`,
		`{"time":"2026-12-31T23:59:60Z"}`, `{"keys":{"1":1,"01":2}}`, `{"int":9223372036854775808}`,
	} {
		f.Add([]byte(seed))
	}
	anything, err := reflectschema.ParseSchema([]byte(`{}`))
	if err != nil {
		f.Fatal(err)
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		defer watch()()
		strictAgrees(t, anything, data)
		decodeAgrees[search](t, data)
		decodeAgrees[everything](t, data)
		decodeAgrees[map[string]any](t, data)
	})
}

// strictAgrees compares the JSON parser with encoding/json. It may refuse more, with an error that names the limit.
func strictAgrees(t *testing.T, anything *reflectschema.Schema, data []byte) {
	t.Helper()
	err := anything.Check(data)
	switch valid := ijson.Unique(data) == nil; {
	case err == nil && !valid:
		t.Errorf("accepted %q, which is not I-JSON", data)
	case err != nil && valid && !strings.Contains(err.Error(), "at most"):
		t.Errorf("refused %q: %v", data, err)
	}
}

func decodeAgrees[T any](t *testing.T, data []byte) {
	t.Helper()
	typ := compile[T](t, reflectschema.DirectionInput)
	var v T
	err := typ.Decode(data, reflect.ValueOf(&v).Elem())
	if err == nil {
		if fits := typ.Schema().Check(data); fits != nil {
			t.Errorf("%q decodes but does not fit: %v", data, fits)
		}
	}
	if err != nil {
		invalid := (*reflectschema.InvalidError)(nil)
		if !errors.As(err, &invalid) {
			t.Errorf("%q: %T %v", data, err, err)
		}
		if len(data)%8 == 0 { // the text is the expensive part
			promises(t, "fuzz", func(data []byte) error {
				return typ.Decode(data, reflect.New(reflect.TypeFor[T]()).Elem())
			}, err.Error())
		}
		if !reflect.ValueOf(v).IsZero() {
			t.Errorf("%q: the value is not zero after an error: %+v", data, v)
		}
		return
	}
	out, err := typ.AppendEncode(nil, reflect.ValueOf(v))
	if err != nil {
		t.Fatalf("%q decodes to %+v, which cannot be encoded: %v", data, v, err)
	}
	var back T
	if err := typ.Decode(out, reflect.ValueOf(&back).Elem()); err != nil {
		t.Fatalf("%q encodes to %s, which does not decode: %v", data, out, err)
	}
	again, err := typ.AppendEncode(nil, reflect.ValueOf(back))
	if err != nil || string(again) != string(out) {
		t.Errorf("%q encodes to %s, then to %s (%v)", data, out, again, err)
	}
}

// FuzzParseSchema parses documents. A document is either refused with a location, or usable: it can validate, and its
// wrapped and legacy forms give the same results.
func FuzzParseSchema(f *testing.F) {
	for _, tt := range badInputs {
		f.Add([]byte(tt.schema), []byte(tt.data))
	}
	for _, raw := range []string{
		`{"$id":"a","$defs":{"b":{"$id":"b","$ref":"a"}}}`, `{"$ref":"#/a%2Fb"}`, `{"$dynamicRef":"#a","$dynamicAnchor":"a"}`, `{"items":true,"additionalItems":{}}`,
		`{"if":{},"then":false,"properties":{"":{"$ref":"#/properties/"}}}`, `{"dependencies":{"a":["b"],"c":{}}}`, `{"$schema":"http://json-schema.org/draft-07/schema#","$id":"#x","$ref":"#x"}`,
		`{"type":"object","minProperties":3,"required":["a","a"]}`, `{"pattern":"((a*)*)*b"}`, `{"multipleOf":1e-999,"minimum":-1e999}`,
	} {
		f.Add([]byte(raw), []byte(`{"a":[1,{"a":null}]}`))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, raw, data []byte) {
		defer watch()()
		s, err := reflectschema.ParseSchema(raw)
		if err != nil {
			schemaErr := (*reflectschema.SchemaError)(nil)
			if !errors.As(err, &schemaErr) || strings.Contains(err.Error(), "urn:mcptool") {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if !json.Valid(s.JSON()) {
			t.Fatalf("%q became %s", raw, s.JSON())
		}
		verdict := s.Check(data)
		invalid := (*reflectschema.InvalidError)(nil)
		if verdict != nil {
			if !errors.As(verdict, &invalid) {
				t.Fatalf("%q: %v", raw, verdict)
			}
			if len(invalid.Error()) > 2048 || invalid.Error() != s.Check(data).Error() {
				t.Errorf("%q, %q: %s", raw, data, invalid)
			}
		}
		// Compiling a schema is expensive, so each input tests only one of the other forms.
		if len(data)%4 == 0 {
			if _, err := reflectschema.ParseSchema(s.Legacy()); err != nil {
				t.Errorf("%q: the legacy form %s is refused: %v", raw, s.Legacy(), err)
			}
		}
		if len(data)%4 != 1 {
			return
		}
		wrapped, ok := s.Wrapped("result")
		if !ok || ijson.Unique(data) != nil || len(data) > 1000 {
			return
		}
		within := wrapped.Check([]byte(`{"result":` + string(data) + `}`))
		if (within == nil) != (verdict == nil) {
			t.Errorf("%q, %q: %v; wrapped in %s: %v", raw, data, verdict, wrapped.JSON(), within)
		}
	})
}
