package reflectschema_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// compileOwn compiles a type as one of the author's own module, where mistakes are errors. In types of other modules
// they are ignored.
func compileOwn(t reflect.Type, d reflectschema.Direction) (*reflectschema.Type, error) {
	if err := reflectschema.CheckOwn(t, d); err != nil {
		return nil, err
	}
	return reflectschema.Compile(t, d)
}

// Types of another module with constructs that are mistakes in the author's own types.
type (
	otherLevel   int // with MarshalJSON only
	otherState   int // with UnmarshalJSON only
	otherMixed   struct{ S string }
	foreignBlock interface{ BlockType() string }
	otherText    struct {
		Type string `json:"type"`
	}
	otherPages   struct{ Page, Size int }
	otherCursors struct{ Page, After string }
	otherOpaque  struct{ mu sync.Mutex }
	otherNumber  struct{ n int }
	otherNames   struct {
		NotLabels string `json:"not[labels]"`
		Quoted    string `json:"a\"b"`
	}
	otherTags struct {
		Size  int    `json:"size,omitempty,min=1" default:"10" format:"int32" enum:"10,20"`
		Title string `json:"title" description:"A title" minLength:"1"`
	}
	otherLists struct {
		otherPages
		*otherCursors
	}
	otherHidden struct {
		*otherCursors
		N int
	}
	otherPromoted struct {
		time.Time
		Zone string
	}
	OtherBase   struct{ ID string }
	OtherLeft   struct{ OtherBase }
	OtherRight  struct{ OtherBase }
	otherBothOf struct {
		OtherLeft
		OtherRight
		Name string
	}
	otherStruct struct {
		Meta    OtherBase `json:"meta,omitempty"`
		Pair    [2]int    `json:"pair,omitempty"`
		At      time.Time `json:"at,omitempty"`
		Started time.Time `json:"started,omitzero"`
	}
	otherQuoted struct {
		Name *OtherBase `json:"name,string"`
		N    int        `json:"n,string"`
	}
)

func (l otherLevel) MarshalJSON() ([]byte, error) {
	return []byte(fmt.Sprintf(`"level %d"`, int(l))), nil
}

func (s *otherState) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, (*int)(s)) }

func (m *otherMixed) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &m.S) }
func (m otherMixed) MarshalText() ([]byte, error)     { return []byte(m.S), nil }
func (m *otherMixed) UnmarshalText(data []byte) error { m.S = string(data); return nil }

func (otherText) BlockType() string { return "text" }

// TestOtherModules: constructs that are mistakes in the author's own types are described as encoding/json treats them
// if the type belongs to another module. Values are encoded and decoded as by encoding/json, and fit the schema.
func TestOtherModules(t *testing.T) {
	t.Parallel()
	_, network, err := net.ParseCIDR("192.0.2.0/24")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name     string
		value    any
		property string // the schema of V in a result
		argument string // in arguments; "" if it is the same, "-" if the type is refused
		own      string // the mistake as a result type of the author's own; "" if none
		ownInput string // the mistake as an argument type, if it differs
	}{
		{name: "omitempty without effect", value: otherStruct{Pair: [2]int{1, 2}}, property: `"required":["meta","pair","at"]`, argument: `"started":{"description":"Time in RFC 3339 with a time zone","type":"string","format":"date-time"}},"additionalProperties":false}`, own: "never omits a struct because of omitempty", ownInput: "-"},
		{name: "only MarshalJSON", value: otherLevel(2), property: `{}`, argument: `{"type":"integer"}`},
		{name: "only UnmarshalJSON", value: otherState(2), property: `{"type":"integer"}`, argument: `{}`},
		{name: "only UnmarshalJSON, and text", value: otherMixed{"a"}, property: `{"type":"string"}`, argument: `{}`},
		{name: "keys that are only written by a method", value: map[otherLevel]int{2: 1}, property: `"propertyNames":{"pattern":"^-?(0|[1-9][0-9]*)$"}`},
		{name: "interface", value: struct{ B []foreignBlock }{[]foreignBlock{otherText{"x"}, nil}}, property: `{"type":"array","items":{}}`, argument: "-", own: "is an interface with methods"},
		{name: "embedded interface", value: struct{ io.Reader }{}, property: `"properties":{"Reader":{}}`, argument: "-", own: "is an interface with methods"},
		{name: "no exported field", value: struct{ M otherNumber }{otherNumber{1}}, property: `{"type":"object","properties":{},"additionalProperties":false}`, own: "has no exported field"},
		{name: "names", value: otherNames{"a", "b"}, property: `"properties":{"not[labels]":{"type":"string"},"Quoted":{"type":"string"}}`, own: "encoding/json rejects the name"},
		{name: "tags of other libraries", value: otherTags{Title: "a"}, property: `"properties":{"size":{"type":"integer"},"title":{"type":"string"}},"required":["title"]`, own: `no option "min=1"`},
		{name: "one name twice", value: otherLists{otherPages{1, 2}, &otherCursors{"a", "b"}}, property: `"properties":{"Size":{"type":"integer"},"After":{"type":"string"}},"required":["Size"]`, argument: `"properties":{"Size":{"type":"integer"}}`, own: `the JSON name "Page" belongs to otherPages.Page and to otherCursors.Page alike`},
		{name: "embedded pointer that cannot be set", value: otherHidden{N: 1}, property: `"properties":{"Page":{"type":"string"},"After":{"type":"string"},"N":{"type":"integer"}},"required":["N"]`, argument: `"properties":{"N":{"type":"integer"}},"required":["N"]`, own: "-", ownInput: "cannot be made when decoding"},
		{name: "promoted method", value: otherPromoted{time.Unix(1, 0).UTC(), "x"}, property: `{}`, own: "Zone never reaches the JSON"},
		{name: "one struct embedded twice", value: otherBothOf{Name: "a"}, property: `"properties":{"Name":{"type":"string"}}`, own: "a second embedding of the same struct"},
		{name: "string on a struct", value: otherQuoted{&OtherBase{"a"}, 1}, property: `"n":{"type":"string","pattern"`, own: `json:",string" has no effect`},
		{name: "network", value: struct{ N *net.IPNet }{network}, property: `"properties":{"IP":{"type":"string"},"Mask":{"description":"Bytes in base64","type":"string","contentEncoding":"base64"}}`, own: "not as 192.0.2.0/24"},
		{name: "column", value: struct{ C sql.NullInt64 }{sql.NullInt64{Int64: 1, Valid: true}}, property: `"properties":{"Int64":{"type":"integer"},"Valid":{"type":"boolean"}}`, own: "not as a value or null"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "V", Type: reflect.TypeOf(tt.value)}})).Elem()
			v.Field(0).Set(reflect.ValueOf(tt.value))
			checkOther(t, v.Type(), reflectschema.DirectionOutput, tt.property, tt.own)
			written := writesAsJSON(t, v)
			argument, own := tt.argument, tt.ownInput
			if argument == "" {
				argument = tt.property
			}
			if own == "" {
				own = tt.own
			}
			checkOther(t, v.Type(), reflectschema.DirectionInput, argument, own)
			if argument != "-" {
				readsAsJSON(t, v.Type(), written)
			}
		})
	}
}

// checkOther compiles a struct as a type of another module and as the author's own type.
func checkOther(t *testing.T, goType reflect.Type, d reflectschema.Direction, part, mistake string) {
	t.Helper()
	compiled, err := reflectschema.Compile(goType, d)
	if (err != nil) != (part == "-") || err == nil && !strings.Contains(string(compiled.Schema().JSON()), part) {
		t.Errorf("direction %d: got %v, %v; want %s", d, compiled, err, part)
		if err == nil {
			t.Errorf("schema: %s", compiled.Schema().JSON())
		}
	}
	if part == "-" || mistake == "-" {
		mistake = ""
	}
	if _, err := compileOwn(goType, d); part != "-" && (err != nil) != (mistake != "") || mistake != "" && !strings.Contains(fmt.Sprint(err), mistake) {
		t.Errorf("direction %d: as the author's own type: got %v, want %q", d, err, mistake)
	}
}

// writesAsJSON encodes a value, and compares the JSON with the output of encoding/json and with the schema.
func writesAsJSON(t *testing.T, v reflect.Value) []byte {
	t.Helper()
	compiled, err := reflectschema.Compile(v.Type(), reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	got, err := compiled.AppendEncode(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("(-encoding/json +got):\n%s", diff)
	}
	if err := compiled.Schema().Judge(got); err != nil {
		t.Errorf("%s does not fit the schema: %v", got, err)
	}
	return got
}

// readsAsJSON compares decoding with encoding/json for JSON that fits the schema.
func readsAsJSON(t *testing.T, goType reflect.Type, data []byte) {
	t.Helper()
	compiled, err := reflectschema.Compile(goType, reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	got, want := reflect.New(goType), reflect.New(goType)
	fits := compiled.Schema().Judge(data) == nil
	err = compiled.Decode(data, got.Elem())
	wantErr := json.Unmarshal(data, want.Interface())
	switch {
	case fits && (err == nil) != (wantErr == nil):
		t.Errorf("%s: got error %v; encoding/json: %v", data, err, wantErr)
	case fits && err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()):
		t.Errorf("%s: got %+v, want %+v", data, got, want)
	case !fits && err == nil:
		t.Errorf("%s does not fit the schema, but is accepted", data)
	}
}

// TestAuthored: tags identify the structs of the author's own module.
func TestAuthored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		goType reflect.Type
		want   bool
	}{
		{"no tag", reflect.TypeFor[struct{ A int }](), false},
		{"tags of other libraries", reflect.TypeFor[struct {
			A int `json:"a" yaml:"a" validate:"required" description:"b"`
		}](), false},
		{"doc", reflect.TypeFor[struct {
			A int `doc:"b"`
		}](), true},
		{"jsonschema", reflect.TypeFor[struct {
			A int `json:"a" jsonschema:"minimum=1"`
		}](), true},
		{"mcp on a blank field", reflect.TypeFor[struct {
			_ struct{} `mcp:"name=a"`
			A int
		}](), true},
		{"a field that is not exported", reflect.TypeFor[struct {
			a int `doc:"b"`
		}](), true},
		{"only in an embedded struct", reflect.TypeFor[struct{ authoredBase }](), false},
		{"a misspelt key", reflect.StructOf([]reflect.StructField{field("A", 0, `jsonshema:"minimum=1"`)}), true},
		{"a malformed tag", reflect.StructOf([]reflect.StructField{field("A", 0, `json:"a" jsonschema:minimum=1`)}), true},
		{"not a struct", reflect.TypeFor[[]authoredBase](), false},
	} {
		if got := reflectschema.Internal(private.Key{}).IsAuthored(tt.goType); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

type authoredBase struct {
	A int `doc:"b"`
}

// authoredOut is a type of the author by its tags. Its parts are judged by their own tags.
type authoredOut struct {
	Embedded otherLists
	otherStruct
	Block  foreignBlock `doc:"Not a union"`
	Link   *net.IPNet
	Links  []*net.IPNet
	ByName map[string]net.IPNet
	Hidden *otherOpaque
}

// TestAuthoredParts: mistakes in fields of the author's structs are reported, each once with all its locations. Those
// in structs of other modules are not.
func TestAuthoredParts(t *testing.T) {
	t.Parallel()
	_, err := reflectschema.CompileFor[authoredOut](reflectschema.DirectionOutput)
	want := `reflectschema_test.authoredOut.Block (Block): reflectschema_test.foreignBlock is an interface with methods: JSON does not determine the Go type;`
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	for _, part := range []string{
		"reflectschema_test.authoredOut.Link (Link): encoding/json writes net.IPNet as an object whose mask is in base64, not as 192.0.2.0/24 (also at reflectschema_test.authoredOut.Links, reflectschema_test.authoredOut.ByName);",
		"reflectschema_test.authoredOut.Hidden (Hidden): reflectschema_test.otherOpaque has no exported field",
	} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("got %v, want %s", err, part)
		}
	}
	if got := strings.Count(fmt.Sprint(err), "\n") + 1; got != 3 {
		t.Errorf("got %d mistakes, want 3:\n%v", got, err)
	}
}

// TestManyPlaces: a mistake in a type that is used in many fields is reported once, with the first fields.
func TestManyPlaces(t *testing.T) {
	t.Parallel()
	fields := []reflect.StructField{field("A", 0, `doc:"b"`)}
	for i := range 30 {
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: reflect.TypeFor[chan int]()})
	}
	_, err := reflectschema.Compile(reflect.StructOf(fields), reflectschema.DirectionInput)
	const want = `struct{…}.F0 (F0): chan int has no form in JSON (also at struct{…}.F1, struct{…}.F2, struct{…}.F3, struct{…}.F4, struct{…}.F5, struct{…}.F6, struct{…}.F7, struct{…}.F8, struct{…}.F9, struct{…}.F10, 19 more); leave the field out with json:"-"`
	if diff := cmp.Diff(want, fmt.Sprint(err)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestDynamicValues: a value in an interface is encoded as by encoding/json, also if its type is the author's. If that
// is impossible, the error has the type, its first mistake and the fix.
func TestDynamicValues(t *testing.T) {
	t.Parallel()
	type own struct {
		At   time.Time  `json:"at,omitempty" doc:"When"`
		Link *net.IPNet `json:"link"`
	}
	for _, value := range []any{otherStruct{}, otherPromoted{}, own{}, []any{otherLevel(1), map[string]any{"a": own{}}}, struct{ B foreignBlock }{otherText{"a"}}} {
		v := reflect.New(reflect.TypeFor[struct{ V any }]()).Elem()
		v.Field(0).Set(reflect.ValueOf(value))
		writesAsJSON(t, v)
	}
	_, err := reflectschema.AppendValue(nil, map[string]any{"a": []any{struct {
		At   time.Time `doc:"When"`
		Done chan bool `json:"done"`
	}{}}})
	const want = `a[0]: must be a value that can be written, got one of type struct { At time.Time "doc:\"When\""; Done chan bool "json:\"done\"" }: struct{…}.Done (done): chan bool has no form in JSON; leave the field out with json:"-"`
	if got := fmt.Sprint(err); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
