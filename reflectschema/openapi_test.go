package reflectschema_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// The types of this file have the OpenAPI methods of types of Kubernetes.

// KubeTime writes its zero value as null.
type KubeTime struct{ time.Time }

func (KubeTime) OpenAPISchemaType() []string { return []string{"string"} }
func (KubeTime) OpenAPISchemaFormat() string { return "date-time" }

func (t KubeTime) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return json.Marshal(t.UTC().Format(time.RFC3339))
}

func (t *KubeTime) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &t.Time) }

// KubeDuration is a string without a format. It refuses null.
type KubeDuration struct{ d time.Duration }

func (KubeDuration) OpenAPISchemaType() []string    { return []string{"string"} }
func (KubeDuration) OpenAPISchemaFormat() string    { return "" }
func (d KubeDuration) MarshalJSON() ([]byte, error) { return json.Marshal(d.d.String()) }

func (d *KubeDuration) UnmarshalJSON(data []byte) (err error) {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	d.d, err = time.ParseDuration(text)
	return err
}

// IntOrString is a number or a string, in a format that JSON Schema does not define.
type IntOrString struct {
	n    int32
	text string
}

func (IntOrString) OpenAPISchemaType() []string   { return []string{"string"} }
func (IntOrString) OpenAPISchemaFormat() string   { return "int-or-string" }
func (IntOrString) OpenAPIV3OneOfTypes() []string { return []string{"integer", "string"} }

func (v IntOrString) MarshalJSON() ([]byte, error) {
	if v.text != "" {
		return json.Marshal(v.text)
	}
	return json.Marshal(v.n)
}

func (v *IntOrString) UnmarshalJSON(data []byte) error {
	if data[0] == '"' {
		return json.Unmarshal(data, &v.text)
	}
	return json.Unmarshal(data, &v.n)
}

// Quantity reads numbers and strings, and writes strings.
type Quantity struct{ text string }

func (Quantity) OpenAPISchemaType() []string   { return []string{"string"} }
func (Quantity) OpenAPISchemaFormat() string   { return "" }
func (Quantity) OpenAPIV3OneOfTypes() []string { return []string{"string", "number"} }

func (q Quantity) MarshalJSON() ([]byte, error) {
	if q.text == "" {
		return []byte(`"0"`), nil
	}
	return json.Marshal(q.text)
}

func (q *Quantity) UnmarshalJSON(data []byte) error {
	q.text = strings.Trim(string(data), `"`)
	return nil
}

type (
	// QuantityValue has all methods from one embedded field.
	QuantityValue struct{ Quantity }
	// Labelled has its OpenAPI methods from an embedded field, and writes another JSON type.
	Labelled struct{ KubeDuration }
)

func (Labelled) MarshalJSON() ([]byte, error) { return []byte(`{"label":""}`), nil }
func (*Labelled) UnmarshalJSON([]byte) error  { return nil }

// opaque has JSON methods, for types with unusable OpenAPI methods.
type opaque struct{ json string }

func (o opaque) MarshalJSON() ([]byte, error) {
	switch o.json {
	case "":
		return []byte(`""`), nil
	case "error":
		return nil, errors.New("no value")
	}
	return []byte(o.json), nil
}

func (o *opaque) UnmarshalJSON(data []byte) error {
	o.json = string(data)
	return nil
}

type (
	panics      struct{ opaque }
	noType      struct{ opaque }
	unknownType struct{ opaque }
	otherType   struct{ opaque }
	otherFormat struct{ opaque }
	failing     struct{ opaque }
	anyObject   struct{ opaque }
	listed      struct{ opaque }
)

func (panics) OpenAPISchemaType() []string      { panic("no schema") }
func (noType) OpenAPISchemaType() []string      { return nil }
func (unknownType) OpenAPISchemaType() []string { return []string{"string", `int"}`} }
func (otherType) OpenAPISchemaType() []string   { return []string{"integer"} }
func (otherFormat) OpenAPISchemaType() []string { return []string{"string"} }
func (otherFormat) OpenAPISchemaFormat() string { return "email" }
func (failing) OpenAPISchemaType() []string     { return []string{"string"} }
func (failing) OpenAPISchemaFormat() string     { return "email" }
func (failing) MarshalJSON() ([]byte, error)    { return nil, errors.New("no address") }
func (anyObject) OpenAPISchemaType() []string   { return []string{"object"} }
func (anyObject) MarshalJSON() ([]byte, error)  { return []byte("{}"), nil }
func (listed) OpenAPISchemaType() []string      { return []string{"array", "array"} }
func (listed) MarshalJSON() ([]byte, error)     { return []byte("[]"), nil }

// TestOpenAPI compares the schemas of types with OpenAPI methods, which are equal in both directions.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		goType reflect.Type
		want   string
	}{
		{"a time, null if it is zero", reflect.TypeFor[KubeTime](), `{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}`},
		{"a type without a format", reflect.TypeFor[KubeDuration](), `{"type":"string"}`},
		{"one of two types", reflect.TypeFor[IntOrString](), `{"anyOf":[{"type":"integer"},{"type":"string"}]}`},
		{"an object", reflect.TypeFor[anyObject](), `{"type":"object","properties":{}}`},
		{"a type that is listed twice", reflect.TypeFor[listed](), `{"type":"array","items":{}}`},
		{"all methods of one embedded type", reflect.TypeFor[QuantityValue](), `{"anyOf":[{"type":"string"},{"type":"number"}]}`},
		{"OpenAPI methods of an embedded type, own JSON methods", reflect.TypeFor[Labelled](), `{}`},
		{"the zero value does not have the format", reflect.TypeFor[otherFormat](), `{"type":"string"}`},
		{"the zero value is not written", reflect.TypeFor[failing](), `{"type":"string","format":"email"}`},
		{"the zero value is of another type", reflect.TypeFor[otherType](), `{}`},
		{"a panic", reflect.TypeFor[panics](), `{}`},
		{"no type", reflect.TypeFor[noType](), `{}`},
		{"a type that JSON Schema does not define", reflect.TypeFor[unknownType](), `{}`},
	}
	for _, tt := range tests {
		for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
			compiled, err := reflectschema.Compile(tt.goType, d)
			if err != nil {
				t.Fatalf("%s: %v", tt.name, err)
			}
			if got := compiled.Schema().String(); got != tt.want {
				t.Errorf("%s, %v: schema = %s, want %s", tt.name, d, got, tt.want)
			}
		}
	}
}

// Workload has fields of such types, as the types of k8s.io/api do.
type Workload struct {
	Created  KubeTime            `json:"created,omitzero"`
	Deleted  *KubeTime           `json:"deleted,omitempty"`
	Timeout  *KubeDuration       `json:"timeout"`
	Interval KubeDuration        `json:"interval" jsonschema:"default=1m"`
	Port     IntOrString         `json:"port"`
	Limits   map[string]Quantity `json:"limits"`
}

// TestOpenAPIValues encodes and decodes values of types with OpenAPI methods.
func TestOpenAPIValues(t *testing.T) {
	t.Parallel()
	in, err := reflectschema.CompileFor[Workload](reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	out, err := reflectschema.CompileFor[Workload](reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	created := time.Date(2026, 11, 28, 1, 2, 3, 0, time.UTC)
	for _, v := range []Workload{
		{},
		{Created: KubeTime{created}, Deleted: &KubeTime{}, Timeout: &KubeDuration{time.Minute}, Port: IntOrString{text: "http"}, Limits: map[string]Quantity{"cpu": {"100m"}}},
	} {
		if _, err := out.AppendEncode(nil, reflect.ValueOf(v)); err != nil {
			t.Errorf("%+v cannot be encoded: %v", v, err)
		}
	}
	for _, args := range []string{
		`{"port":80,"limits":{"cpu":2,"memory":"1Gi"}}`,
		`{"port":"http","limits":{},"created":null,"deleted":null,"timeout":null,"interval":null}`,
		`{"port":"http","limits":{},"created":"2026-11-28T01:02:03Z","timeout":"1m","interval":"2h"}`,
		`{"port":80.0,"limits":{"cpu":1e3}}`,
	} {
		var v Workload
		if err := decodeArguments(t, in, args, &v); err != nil {
			t.Errorf("%s cannot be decoded: %v", args, err)
		}
	}
	for _, args := range []string{`{"port":80.5,"limits":{}}`, `{"port":[],"limits":{}}`, `{"port":1,"limits":{},"created":"yesterday"}`, `{"port":null,"limits":{}}`} {
		var v Workload
		if err := decodeArguments(t, in, args, &v); err == nil {
			t.Errorf("%s decodes to %+v", args, v)
		}
	}
}

// decodeArguments decodes arguments of a call into v, a pointer.
func decodeArguments(t *testing.T, typ *reflectschema.Type, args string, v any) error {
	t.Helper()
	_, _, err := reflectschema.Internal(private.Key{}).DecodeArguments(t.Context(), typ, []byte(args), reflect.ValueOf(v).Elem(), nil)
	return err
}

// TestOpenAPIExample checks that the methods of the type accept its example.
func TestOpenAPIExample(t *testing.T) {
	t.Parallel()
	var v struct {
		Timeout KubeDuration `json:"timeout"`
		Port    IntOrString  `json:"port"`
		Size    Quantity     `json:"size"`
		Created KubeTime     `json:"created"`
	}
	in, err := reflectschema.Compile(reflect.TypeOf(v), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	example := samples.Example(in.Schema())
	if err := in.Decode(example, reflect.ValueOf(&v).Elem()); err != nil {
		t.Errorf("the example %s cannot be decoded: %v", example, err)
	}
}
