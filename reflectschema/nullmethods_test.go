package reflectschema_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Types with UnmarshalJSON that differ in their handling of null. Their schema is {}, which allows null.
type (
	// nullIgnored ignores null, as decimal.Decimal and resource.Quantity do.
	nullIgnored struct{ n int }
	// nullColumn writes null as its zero value, as null.String, pgtype.Text and uuid.NullUUID do.
	nullColumn struct {
		Number int
		Valid  bool
	}
	// nullMap distinguishes null from absent, as nullable.Nullable does. It writes its zero value as 0.
	nullMap map[bool]int
	// nullRaw retains the JSON.
	nullRaw struct{ data []byte }
	// nullNumber reads null as 0, as intstr.IntOrString does.
	nullNumber struct{ n int }
	// nullRefused returns an error for null.
	nullRefused struct{ n int }
	// nullPanics panics at null.
	nullPanics struct{ n int }
	// nullDescribed is a nullRefused with a description.
	nullDescribed struct{ nullRefused }
)

func (x nullIgnored) MarshalJSON() ([]byte, error) { return json.Marshal(x.n) }
func (x *nullIgnored) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	return json.Unmarshal(data, &x.n)
}

func (x nullColumn) MarshalJSON() ([]byte, error) {
	if !x.Valid {
		return []byte("null"), nil
	}
	return json.Marshal(x.Number)
}

func (x *nullColumn) UnmarshalJSON(data []byte) error {
	x.Valid = string(data) != "null"
	return json.Unmarshal(data, &x.Number)
}

func (x nullMap) MarshalJSON() ([]byte, error) {
	if _, isNull := x[false]; isNull {
		return []byte("null"), nil
	}
	return json.Marshal(x[true])
}

func (x *nullMap) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		*x = nullMap{false: 0}
		return nil
	}
	var n int
	err := json.Unmarshal(data, &n)
	*x = nullMap{true: n}
	return err
}

func (x nullRaw) MarshalJSON() ([]byte, error) { return append([]byte(nil), x.data...), nil }
func (x *nullRaw) UnmarshalJSON(data []byte) error {
	x.data = append([]byte(nil), data...)
	return nil
}

func (x nullNumber) MarshalJSON() ([]byte, error)     { return json.Marshal(x.n) }
func (x *nullNumber) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &x.n) }

func (x nullRefused) MarshalJSON() ([]byte, error) { return json.Marshal(x.n) }
func (x *nullRefused) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return errors.New("null is not a number")
	}
	return json.Unmarshal(data, &x.n)
}

func (x nullPanics) MarshalJSON() ([]byte, error) { return json.Marshal(x.n) }
func (x *nullPanics) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		panic("null")
	}
	return json.Unmarshal(data, &x.n)
}

func (x nullDescribed) MarshalJSON() ([]byte, error)        { return x.nullRefused.MarshalJSON() }
func (x *nullDescribed) UnmarshalJSON(data []byte) error    { return x.nullRefused.UnmarshalJSON(data) }
func (nullDescribed) JSONSchemaExtend(s *jsonschema.Schema) { s.Description = "A number" }

// nullPlaces has a T wherever null can be sent for one.
type nullPlaces[T any] struct {
	Must    T            `json:"must"`
	May     T            `json:"may,omitzero"`
	Tagged  T            `json:"tagged" jsonschema:"optional"`
	Default T            `json:"default,omitzero" jsonschema:"default=7"`
	Pointer *T           `json:"pointer,omitempty"`
	List    []T          `json:"list,omitempty"`
	Array   [1]T         `json:"array,omitzero"`
	Map     map[string]T `json:"map,omitempty"`
	In      *struct {
		May T `json:"may,omitzero"`
	} `json:"in,omitempty"`
}

// nullPlacesOf are arguments with null in each place.
var nullPlacesOf = map[string]string{
	"must": `null`, "may": `null`, "tagged": `null`, "default": `null`, "pointer": `null`, "list": `[null,7]`, "array": `[null]`,
	"map": `{"a":null}`, "in": `{"may":null}`,
}

// nullAgrees decodes null in each place, and compares with encoding/json. refuses reports whether UnmarshalJSON returns
// an error for null. byDefault is the value decoded from null for a field with the default 7.
func nullAgrees[T any](t *testing.T, refuses bool, byDefault string) {
	t.Helper()
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionStored} {
		typ, err := reflectschema.CompileFor[nullPlaces[T]](d)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range nullPlacesOf {
			given, absent := fmt.Sprintf(`{"must":7,%q:%s}`, name, value), `{"must":7}`
			if name == "must" {
				given = `{"must":null}`
			}
			if err := typ.Schema().Check([]byte(given)); err != nil {
				t.Fatalf("schema %s refuses %s: %v", typ.Schema().JSON(), given, err)
			}
			isPointer, isOptional := name == "pointer", slices.Contains([]string{"may", "tagged", "default", "in"}, name)
			source := given
			switch {
			case refuses && name == "in":
				source = `{"must":7,"in":{}}`
			case refuses && isOptional, name == "default" && byDefault != "null":
				source = absent
			}
			want := nullPlaces[T]{}
			if name != "default" || byDefault != "null" {
				readAs(t, "7", &want.Default)
			}
			if !refuses || isPointer || isOptional {
				readAs(t, source, &want)
			}
			got := reflect.New(reflect.TypeFor[nullPlaces[T]]()).Elem()
			switch err := typ.Decode([]byte(given), got); {
			case refuses && !isPointer && !isOptional:
				if err == nil || !strings.Contains(err.Error(), "must be a value that can be read (") {
					t.Errorf("direction %d, %s: got %v, want the error of the method", d, given, err)
				}
			case err != nil:
				t.Errorf("direction %d, %s: got the error %v", d, given, err)
			case !reflect.DeepEqual(got.Interface(), want):
				t.Errorf("direction %d, %s: got %+v, want %+v", d, given, got, want)
			}
		}
	}
}

// readAs decodes data with encoding/json.
func readAs(t *testing.T, data string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(data), into); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
}

// TestNullOfMethods compares null for types with UnmarshalJSON with encoding/json. For an optional member of a type
// that does not distinguish them, null is treated as absent.
func TestNullOfMethods(t *testing.T) {
	t.Parallel()
	const absent, null = "7", "null" // null for a field with the default 7
	for name, run := range map[string]func(t *testing.T){
		"ignored":   func(t *testing.T) { t.Helper(); nullAgrees[nullIgnored](t, false, absent) },
		"column":    func(t *testing.T) { t.Helper(); nullAgrees[nullColumn](t, false, null) },
		"map":       func(t *testing.T) { t.Helper(); nullAgrees[nullMap](t, false, null) },
		"raw":       func(t *testing.T) { t.Helper(); nullAgrees[nullRaw](t, false, null) },
		"number":    func(t *testing.T) { t.Helper(); nullAgrees[nullNumber](t, false, absent) },
		"refused":   func(t *testing.T) { t.Helper(); nullAgrees[nullRefused](t, true, absent) },
		"panics":    func(t *testing.T) { t.Helper(); nullAgrees[nullPanics](t, true, absent) },
		"described": func(t *testing.T) { t.Helper(); nullAgrees[nullDescribed](t, true, absent) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t)
		})
	}
}
