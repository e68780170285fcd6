package reflectschema

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// typeWith returns the type of T with the given schema. With {}, only the codec checks values.
func typeWith[T any](tb testing.TB, direction Direction, schema string) *Type {
	tb.Helper()
	made, err := Compile(reflect.TypeFor[T](), direction)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := ParseSchema([]byte(schema))
	if err != nil {
		tb.Fatalf("schema: %v", err)
	}
	return newType(made.goType, made.usage, s)
}

type (
	scalars struct {
		Bool   bool            `json:"bool"`
		I8     int8            `json:"i8"`
		I64    int64           `json:"i64"`
		U8     uint8           `json:"u8"`
		U64    uint64          `json:"u64"`
		F32    float32         `json:"f32"`
		F64    float64         `json:"f64"`
		String string          `json:"string"`
		Bytes  []byte          `json:"bytes"`
		Time   time.Time       `json:"time"`
		Number json.Number     `json:"number"`
		Any    any             `json:"any"`
		Raw    json.RawMessage `json:"raw"`
		Addr   netip.Addr      `json:"addr"`
		Color  color           `json:"color"`
		Own    ownJSON         `json:"own"`
		Quoted int64           `json:"quoted,string"`
		QBool  *bool           `json:"qbool,string"`
	}
	containers struct {
		Ptr   *int             `json:"ptr"`
		Deep  Optional[string] `json:"deep"`
		List  []int            `json:"list"`
		Array [2]byte          `json:"array"`
		Names map[string]int   `json:"names"`
		Ints  map[int8]string  `json:"ints"`
		Uints map[uint8]bool   `json:"uints"`
		Texts map[color]int    `json:"texts"`
		Odd   map[oddKey]int   `json:"odd,omitempty"`
		*Embedded
		Inner inner `json:"inner"`
	}
	Embedded struct {
		Below string `json:"below"`
	}
	inner struct {
		A []map[string]*inner `json:"a"`
	}
	// color has text methods with a helpful error.
	color uint8
	// ownJSON has JSON methods that panic at 13.
	ownJSON struct{ n int }
)

// oddKey decodes "a" to a value that no map can have as a key, and panics for some texts.
type oddKey struct{ v any }

func (o oddKey) MarshalText() ([]byte, error) { return []byte("odd"), nil }

func (o *oddKey) UnmarshalText(text []byte) error {
	switch string(text) {
	case "a":
		o.v = []int{}
	case "panic":
		panic("told to")
	}
	return nil
}

func (c color) MarshalText() ([]byte, error) {
	if int(c) >= len(colors) {
		return nil, fmt.Errorf("no color %d", uint8(c))
	}
	return []byte(colors[c]), nil
}

func (c *color) UnmarshalText(text []byte) error {
	for i, name := range colors {
		if name == string(text) {
			*c = color(i)
			return nil
		}
	}
	return errors.New("colors are red and green")
}

var colors = []string{"red", "green"}

func (o *ownJSON) MarshalJSON() ([]byte, error) {
	if o.n == 13 {
		panic("unlucky")
	}
	return fmt.Appendf(nil, ` { "n" : %d } `, o.n), nil
}

func (o *ownJSON) UnmarshalJSON(data []byte) error {
	var v struct{ N int }
	if err := json.Unmarshal(data, &v); err != nil {
		return err
	}
	if o.n = v.N; o.n == 13 {
		panic("unlucky")
	}
	return nil
}

// goError fails with an error of encoding/json.
type goError struct{}

func (goError) MarshalJSON() ([]byte, error) { return json.Marshal(make(chan int)) }

func TestDecodeScalars(t *testing.T) {
	t.Parallel()
	yes := true
	for _, tt := range []struct {
		data, reason string
		want         scalars
	}{
		{`{}`, "absent members are zero", scalars{}},
		{`{"bool":true,"string":"a\u00e9\n"}`, "escapes are read", scalars{Bool: true, String: "aé\n"}},
		{`{"i8":-128,"i64":9223372036854775807,"u8":255,"u64":18446744073709551615}`, "integers are exact to the last", scalars{I8: -128, I64: math.MaxInt64, U8: 255, U64: math.MaxUint64}},
		{`{"i8":3.0,"i64":1e2,"u8":2.50e1,"u64":10e-1}`, "a whole number is an integer however written", scalars{I8: 3, I64: 100, U8: 25, U64: 1}},
		{`{"i64":-0,"u8":-0}`, "minus nothing is nothing", scalars{}},
		{`{"f32":0.1,"f64":-1e-7}`, "floats round to their own width", scalars{F32: 0.1, F64: -1e-7}},
		{`{"bytes":"aGk=","time":"2026-01-31T09:30:00+02:00"}`, "base64 and RFC 3339", scalars{Bytes: []byte("hi"), Time: time.Date(2026, 1, 31, 9, 30, 0, 0, time.FixedZone("", 7200))}},
		{`{"bytes":""}`, "no bytes are not nil", scalars{Bytes: []byte{}}},
		{`{"number":1.50}`, "json.Number keeps every digit", scalars{Number: "1.50"}},
		{`{"any":{"a":[1,2.5,"x",null,true]}}`, "any is what encoding/json makes", scalars{Any: map[string]any{"a": []any{1.0, 2.5, "x", nil, true}}}},
		{`{"any":[9007199254740993,0.1,1e400,1.0]}`, "any keeps the digits float64 would lose", scalars{Any: []any{json.Number("9007199254740993"), 0.1, json.Number("1e400"), 1.0}}},
		{`{"raw": {"b": 1, "a": 2} }`, "raw JSON stays as it was, order and all", scalars{Raw: json.RawMessage(`{"b": 1, "a": 2}`)}},
		{`{"raw":null}`, "raw null is null", scalars{Raw: json.RawMessage(`null`)}},
		{`{"addr":"192.0.2.1","color":"green"}`, "text types read their text", scalars{Addr: netip.MustParseAddr("192.0.2.1"), Color: 1}},
		{`{"own":{"n":7}}`, "JSON types read their JSON", scalars{Own: ownJSON{7}}},
		{`{"quoted":"-12","qbool":"true"}`, "json:\",string\" reads the number in the string", scalars{Quoted: -12, QBool: &yes}},
		{`{"bool":null,"string":null,"bytes":null,"time":null,"any":null,"color":null,"qbool":null}`, "null, where the schema allows it, is zero", scalars{}},
		{`{"Bool":true,"unknown":{"bool":[1]}}`, "names are case-sensitive, unknown ones passed over", scalars{}},
	} {
		t.Run(tt.data, func(t *testing.T) {
			t.Parallel()
			typ := typeWith[scalars](t, DirectionInput, `{}`)
			got := scalars{String: "left over"}
			if err := typ.Decode([]byte(tt.data), reflect.ValueOf(&got).Elem()); err != nil {
				t.Fatalf("Decode: %v; %s", err, tt.reason)
			}
			if diff := cmp.Diff(tt.want, got, equalScalars); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

// equalScalars compares types with unexported fields.
var equalScalars = cmp.Options{
	cmp.AllowUnexported(ownJSON{}),
	cmp.Comparer(func(a, b netip.Addr) bool { return a == b }),
}

func TestDecodeContainers(t *testing.T) {
	t.Parallel()
	one, text := 1, "x"
	for _, tt := range []struct {
		data, reason string
		want         containers
	}{
		{`{"ptr":1,"deep":"x"}`, "pointers are allocated", containers{Ptr: &one, Deep: Optional[string]{Value: &text}}},
		{`{"ptr":null,"deep":null,"list":null,"names":null}`, "null leaves nil, and is kept by Optional", containers{Deep: Optional[string]{Null: true}}},
		{`{"list":[],"names":{}}`, "empty is not nil", containers{List: []int{}, Names: map[string]int{}}},
		{`{"list":[1,2],"array":[3,4]}`, "lists and arrays", containers{List: []int{1, 2}, Array: [2]byte{3, 4}}},
		{`{"names":{"a":1,"":2},"ints":{"-128":"x"},"uints":{"255":true},"texts":{"green":3}}`, "keys are read by kind", containers{
			Names: map[string]int{"a": 1, "": 2}, Ints: map[int8]string{-128: "x"}, Uints: map[uint8]bool{255: true}, Texts: map[color]int{1: 3},
		}},
		{`{"below":"x"}`, "an embedded pointer is allocated for its member", containers{Embedded: &Embedded{"x"}}},
		{`{"inner":{"a":[{"k":{"a":[]}},{"k":null}]}}`, "recursive types", containers{Inner: inner{[]map[string]*inner{{"k": {A: []map[string]*inner{}}}, {"k": nil}}}}},
	} {
		t.Run(tt.data, func(t *testing.T) {
			t.Parallel()
			var got containers
			if err := typeWith[containers](t, DirectionInput, `{}`).Decode([]byte(tt.data), reflect.ValueOf(&got).Elem()); err != nil {
				t.Fatalf("Decode: %v; %s", err, tt.reason)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ data, want, reason string }{
		{`{"i8":128}`, "i8: must be at most 127, got 128", "overflow is a mistake like any other"},
		{`{"i8":-129}`, "i8: must be at least -128, got -129", "overflow below"},
		{`{"i64":9223372036854775808}`, "i64: must be at most 9223372036854775807, got 9223372036854775808", "one beyond int64"},
		{`{"u64":18446744073709551616}`, "u64: must be at most 18446744073709551615, got 18446744073709551616", "one beyond uint64"},
		{`{"u64":-1}`, "u64: must be at least 0, got -1", "unsigned"},
		{`{"i64":1.5}`, "i64: must be an integer, got the number 1.5", "not whole"},
		{`{"f64":1e400}`, "f64: must be at most 1.7976931348623157e+308, got 1e400", "beyond float64"},
		{`{"f32":-1e39}`, "f32: must be at least -3.4028235e+38, got -1e39", "beyond float32"},
		{`{"bool":"true"}`, `bool: must be a boolean, got the string "true"`, "the schema may say less than the type"},
		{`{"string":[1,2]}`, "string: must be a string, got an array of 2 items", "the schema may say less than the type"},
		{`{"bytes":"a%"}`, `bytes: must be base64 with padding, got "a%"`, "not base64"},
		{`{"time":"2026-02-30T00:00:00Z"}`, `time: must have the format date-time, such as "2026-01-31T09:30:00Z", got "2026-02-30T00:00:00Z"`, "no such day"},
		{`{"color":"blue"}`, `color: must be a value that can be read (colors are red and green), got "blue"`, "a type's own words help"},
		{`{"own":{"n":"x"}}`, "own: must be a value that can be read (expected an integer in N), got an object", "an error of encoding/json says where"},
		{`{"own":{"n":13}}`, "own: must be a value that can be read (its method panicked), got an object", "a panic is contained"},
		{`{"quoted":"x"}`, `quoted: must be a number in a string, such as "12", got "x"`, "what is in the string counts"},
		{`{"quoted":" 1"}`, `quoted: must be a number in a string, such as "12", got " 1"`, "and nothing else"},
		{`{"quoted":1}`, `quoted: must be a string, got the number 1`, "the string is not optional"},
		{`{"i8":300,"u8":300,"color":"x"}`, "color: must be a value that can be read (colors are red and green), got \"x\"\ni8: must be at most 127, got 300\nu8: must be at most 255, got 300", "every mistake is listed, by place"},
	} {
		t.Run(tt.data, func(t *testing.T) {
			t.Parallel()
			got := scalars{String: "left over"}
			err := typeWith[scalars](t, DirectionInput, `{}`).Decode([]byte(tt.data), reflect.ValueOf(&got).Elem())
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Decode:\n got %v\nwant %s\n%s", err, tt.want, tt.reason)
			}
			if diff := cmp.Diff(scalars{}, got, equalScalars); diff != "" {
				t.Errorf("dst is not zero after an error:\n%s", diff)
			}
			checkText(t, err)
		})
	}
	for _, tt := range []struct{ data, want, reason string }{
		{`{"array":[1]}`, "array: must have at least 2 items, got 1", "an array has its length"},
		{`{"array":[1,2,3]}`, "array: must have at most 2 items, got 3", "an array has its length"},
		{`{"ints":{"128":"x"}}`, `ints["128"]: is not an allowed name: it must be an integer from -128 to 127`, "keys overflow too"},
		{`{"ints":{"01":"x"}}`, `ints["01"]: is not an allowed name`, "one spelling per key, or two could collide"},
		{`{"uints":{"-1":true}}`, `uints["-1"]: is not an allowed name: it must be an integer from 0 to 255`, "unsigned keys"},
		{`{"texts":{"blue":1}}`, `texts.blue: is not an allowed name: it must be a value that can be read (colors are red and green)`, "keys have words of their own"},
		{`{"odd":{"a":1}}`, `odd.a: is not an allowed name: it cannot be a key`, "a key that cannot be hashed is no panic"},
		{`{"odd":{"":1,"b":2}}`, `odd.b: must be given once, got it twice, with different spellings`, "two names that read as one key"},
		{`{"odd":{"panic":1}}`, `odd.panic: is not an allowed name: it must be a value that can be read (its method panicked)`, "a panic is contained"},
		{`{"list":[1,"2",3,null,"x"]}`, "list[1]: must be an integer, got the string \"2\"\nlist[4]: ", "each item by itself; null is for the schema to refuse"},
	} {
		t.Run(tt.data, func(t *testing.T) {
			t.Parallel()
			var got containers
			err := typeWith[containers](t, DirectionInput, `{}`).Decode([]byte(tt.data), reflect.ValueOf(&got).Elem())
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Decode:\n got %v\nwant %s\n%s", err, tt.want, tt.reason)
			}
			checkText(t, err)
		})
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	yes, one := true, 1
	pone := &one
	var nilPtr *int
	for _, tt := range []struct {
		name, reason string
		value        any
		want         string
	}{
		{"nil list", "nil slices are []", []int(nil), `[]`},
		{"nil map", "nil maps are {}", map[string]int(nil), `{}`},
		{"nil bytes", "nil bytes are empty", struct{ B []byte }{}, `{"B":""}`},
		{"nil pointer", "an output writes null", struct{ P *int }{}, `{"P":null}`},
		{"bytes", "base64", []byte("hi"), `"aGk="`},
		{"array of bytes", "numbers, as in encoding/json", [2]byte{1, 2}, `[1,2]`},
		{"floats", "as ES6 writes them", []float64{0, -1.5, 1e21, 1e-7, 123456789, 0.1}, `[0,-1.5,1e+21,1e-7,123456789,0.1]`},
		{"float32", "shortest for its width", float32(0.1), `0.1`},
		{"integers", "exact", []any{int64(math.MinInt64), uint64(math.MaxUint64)}, `[-9223372036854775808,18446744073709551615]`},
		{"string", "fewest escapes, none for HTML", "<é&\u2028\"\\\n\x01>", "\"<é&\u2028\\\"\\\\\\n\\u0001>\""},
		{"bad string", "as encoding/json: replaced", "a\xffb", "\"a\ufffdb\""},
		{"map", "keys in order", map[string]int{"b": 1, "a": 2, "": 3}, `{"":3,"a":2,"b":1}`},
		{"int keys", "in order of their text", map[int]bool{10: true, 9: false}, `{"10":true,"9":false}`},
		{"text keys", "their text", map[color]int{1: 1}, `{"green":1}`},
		{"omit", "omitempty and omitzero as encoding/json", struct {
			A int       `json:"a,omitempty"`
			B []int     `json:"b,omitempty"`
			D struct{}  `json:"d,omitzero"`
			E time.Time `json:"e,omitzero"`
			F *int      `json:"f,omitempty"`
			G [0]int    `json:"g,omitempty"`
			H any       `json:"h,omitempty"`
		}{}, `{}`},
		{"embedded", "nil embedded pointers are omitted", containers{}, `{"ptr":null,"list":[],"array":[0,0],"names":{},"ints":{},"uints":{},"texts":{},"inner":{"a":[]}}`},
		{"embedded set", "others are flattened", struct{ *Embedded }{&Embedded{"x"}}, `{"below":"x"}`},
		{"quoted", "numbers and bools in strings", struct {
			N int     `json:"n,string"`
			F float64 `json:"f,string"`
			B *bool   `json:"b,string"`
			C *bool   `json:"c,string"`
		}{N: 5, F: 0.5, B: &yes}, `{"n":"5","f":"0.5","b":"true","c":null}`},
		{"pointers", "all are followed", &pone, `1`},
		{"any", "values are encoded by the same rules", []any{nil, []string(nil), map[string]any(nil), nilPtr, time.Unix(0, 0).UTC(), color(1)}, `[null,[],{},null,"1970-01-01T00:00:00Z","green"]`},
		{"number", "unchanged; empty is 0", []json.Number{"1.50", ""}, `[1.50,0]`},
		{"raw", "compacted; nil is null", []json.RawMessage{json.RawMessage(` {"b" : 1} `), nil}, `[{"b":1},null]`},
		{"own", "methods on the pointer, called on a copy", map[string]ownJSON{"a": {7}}, `{"a":{"n":7}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := encodeAny(t, DirectionOutput, tt.value)
			if err != nil {
				t.Fatalf("AppendEncode: %v", err)
			}
			if got != "prefix"+tt.want {
				t.Errorf("AppendEncode:\n got %s\nwant prefix%s\n%s", got, tt.want, tt.reason)
			}
		})
	}
	t.Run("input", func(t *testing.T) {
		t.Parallel()
		got, err := encodeAny(t, DirectionInput, struct{ P, Q *int }{Q: &one})
		if err != nil || got != `prefix{"Q":1}` {
			t.Errorf("AppendEncode = %s, %v; want a nil pointer omitted from an input", got, err)
		}
	})
}

// encodeAny encodes v after "prefix", with the schema {}.
func encodeAny(t *testing.T, direction Direction, v any) (string, error) {
	t.Helper()
	made, err := Compile(reflect.TypeOf(v), direction)
	if err != nil {
		t.Fatal(err)
	}
	typ := newType(made.goType, made.usage, newSchema([]byte(`{}`)))
	out, err := typ.AppendEncode([]byte("prefix"), reflect.ValueOf(v))
	return string(out), err
}

type list struct {
	Next *list `json:"next"`
	All  []any `json:"all"`
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	loop := &list{}
	loop.Next = loop
	var self any
	self = &self
	wide := &list{}
	wide.All = []any{1, wide, wide}
	for _, tt := range []struct {
		name, reason string
		value        any
		want         string
	}{
		{"NaN", "not in JSON", map[string]float64{"a": math.NaN()}, "a: must be a finite number, got NaN"},
		{"Inf", "not in JSON", []float64{1, math.Inf(-1)}, "[1]: must be a finite number, got -Inf"},
		{"loop", "a cyclic value cannot be encoded", loop, "nested at most 512 levels deep"},
		{"loop of interfaces", "a cycle without a member", self, "must be nested at most 512 levels deep"},
		{"wide loop", "a cycle that occurs twice on each level must not double the work", wide, "nested at most 512 levels deep"},
		{"deep", "nesting that the decoder refuses is not sent", deep(600), "nested at most 512 levels deep"},
		{"panic", "a marshaler's panic is contained", []ownJSON{{13}}, "[0]: must be a value that can be written, got an error: its method panicked"},
		{"error", "a marshaler's error is reported", struct{ C color }{9}, "C: must be a value that can be written, got an error: no color 9"},
		{"Go error", "the error is for the author, so Go terms are kept", []goError{{}}, "[0]: must be a value that can be written, got an error: json: unsupported type: chan int"},
		{"key error", "an error of a key", map[color]int{9: 1}, "must be keyed by what can be written, got an error: no color 9"},
		{"year", "RFC 3339 has four digits", time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC), "must be a time that RFC 3339 can express, got year 10000"},
		{"bad number", "json.Number holds any string", json.Number("1x"), `must be a number, got "1x"`},
		{"bad raw", "RawMessage holds any bytes", json.RawMessage(`{"a":}`), "a: is not valid JSON: "},
		{"duplicate raw", "duplicate names are refused in results", json.RawMessage(`{"a":1,"a":2}`), "a: must be given once, got it twice"},
		{"dynamic", "a value in an interface that cannot be encoded", []any{make(chan int)}, "[0]: must be a value that can be written, got one of type chan int: chan int: chan int has no form in JSON; leave the field out with json:\"-\""},
		{"merged keys", "two keys with the same name", map[string]int{"\xff": 1, "\xfe": 2}, "\ufffd"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := encodeAny(t, DirectionOutput, tt.value)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("AppendEncode:\n got %v\nwant %s\n%s", err, tt.want, tt.reason)
			}
			if got != "prefix" {
				t.Errorf("dst is %q after an error", got)
			}
			checkText(t, err)
		})
	}
}

func deep(n int) any {
	var v any
	for range n {
		v = []any{v}
	}
	return v
}

func TestEncodeChecks(t *testing.T) {
	t.Parallel()
	typ := typeWith[map[string]int](t, DirectionOutput, `{"type":"object","additionalProperties":{"maximum":10}}`)
	out, err := typ.AppendEncode([]byte("x"), reflect.ValueOf(map[string]int{"a": 11}))
	if string(out) != "x" || err == nil || err.Error() != "a: must be at most 10, got 11" {
		t.Errorf("AppendEncode = %q, %v; want an error of the schema without an example", out, err)
	}
	unique := typeWith[[]string](t, DirectionOutput, `{"type":"array","uniqueItems":true}`)
	out, err = unique.AppendEncode([]byte("x"), reflect.ValueOf([]string{"\xff", "a", "\xfe"}))
	if string(out) != "x" || err == nil || !strings.Contains(err.Error(), "items 0 and 2 are equal") {
		t.Errorf("AppendEncode = %q, %v; want an error: invalid UTF-8 makes two items equal", out, err)
	}
}

func TestCodecWrongType(t *testing.T) {
	t.Parallel()
	typ := typeWith[int](t, DirectionInput, `{}`)
	var s string
	if err := typ.Decode([]byte(`1`), reflect.ValueOf(&s).Elem()); err == nil {
		t.Error("decoding into another type succeeded")
	}
	if err := typ.Decode([]byte(`1`), reflect.ValueOf(1)); err == nil {
		t.Error("decoding into a value that cannot be set succeeded")
	}
	if _, err := typ.AppendEncode(nil, reflect.ValueOf("x")); err == nil {
		t.Error("encoding another type succeeded")
	}
}
