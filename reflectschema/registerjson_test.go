package reflectschema_test

import (
	"bytes"
	containerlist "container/list"
	"database/sql"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// Types that encoding/json accepts, and Compile refuses for different reasons.
type (
	onlyHidden struct{ mu, nu int }
	onlyWrites struct{ N int }
	onlyReads  struct{ N int }
	withFuncs  struct {
		Name string         `json:"name"`
		Call func()         `json:"-"`
		Done chan struct{}  `json:"-"`
		Next *withFuncs     `json:"next,omitempty"`
		M    map[string]any `json:"m,omitempty"`
	}
	unusualTags struct {
		Name string `json:"not[name],omitEmpty" enum:"a,b"`
	}
	box[T any]   struct{ Value T }
	blockOfSlack interface{ BlockType() string }
	section      struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	asJSONKey  struct{ name string }
	asJSONText string
	otherBlock interface{ BlockType() string }
	thirdBlock interface{ BlockType() string }
)

func (onlyWrites) MarshalJSON() ([]byte, error)      { return []byte(`"written"`), nil }
func (o *onlyReads) UnmarshalJSON(data []byte) error { o.N = len(data); return nil }
func (section) BlockType() string                    { return "section" }
func (k asJSONKey) MarshalText() ([]byte, error)     { return []byte(k.name), nil }
func (k *asJSONKey) UnmarshalText(text []byte) error { k.name = string(text); return nil }
func (t *asJSONText) MarshalJSON() ([]byte, error)   { return json.Marshal("<" + string(*t) + ">") }

func (t *asJSONText) UnmarshalJSON(data []byte) error {
	*t = asJSONText(bytes.Trim(data, `"<>`))
	return nil
}

const nullInt32Schema = `{"type":"object","properties":{"Int32":{"type":"integer"},"Valid":{"type":"boolean"}},"required":["Int32","Valid"],"additionalProperties":false}`

func init() {
	reflectschema.RegisterJSON[url.URL](`{}`)
	reflectschema.RegisterJSON[sql.NullInt32](nullInt32Schema)
	reflectschema.RegisterJSON[net.HardwareAddr](`{"type":["string","null"]}`)
	reflectschema.RegisterJSON[containerlist.Element](`{}`)
	reflectschema.RegisterJSON[http.Header](`{"type":["object","null"],"additionalProperties":{"type":"array","items":{"type":"string"}}}`)
	reflectschema.RegisterJSON[onlyHidden](`{"type":"object"}`)
	reflectschema.RegisterJSON[onlyWrites](`{}`)
	reflectschema.RegisterJSON[onlyReads](`{}`)
	reflectschema.RegisterJSON[withFuncs](`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)
	reflectschema.RegisterJSON[unusualTags](`{"type":"object"}`)
	reflectschema.RegisterJSON[box[int]](`{"type":"object","properties":{"Value":{"type":"integer"}},"required":["Value"]}`)
	reflectschema.RegisterJSON[sync.Mutex](`{"type":"object"}`)
	reflectschema.RegisterJSON[blockOfSlack](`{"type":["object","null"]}`)
	reflectschema.RegisterJSON[asJSONKey](`{"type":"string","minLength":1}`)
	reflectschema.RegisterJSON[asJSONText](`{"type":"string"}`)
	reflectschema.RegisterCodec(`{"type":"object"}`,
		func(b *otherBlock) ([]byte, error) { return json.Marshal(*b) },
		func(data []byte, b *otherBlock) error {
			var s section
			err := json.Unmarshal(data, &s)
			*b = s
			return err
		})
}

type asJSONOutput struct {
	URL    *url.URL
	Null   sql.NullInt32
	Addr   net.HardwareAddr
	Elem   containerlist.Element
	Header http.Header
	Hidden onlyHidden
	Writes []onlyWrites
	Reads  onlyReads
	Funcs  withFuncs
	Tags   unusualTags
	Box    map[string]box[int]
	Text   asJSONText
	ByName map[asJSONKey]int
	Block  blockOfSlack
	Blocks []blockOfSlack
	Any    any
}

// TestRegisterJSON compares values of registered types with encoding/json, when encoded as results and decoded as arguments.
func TestRegisterJSON(t *testing.T) {
	t.Parallel()
	value := asJSONOutput{
		URL: &url.URL{Scheme: "https", Host: "a.b", RawQuery: "c=<d>"}, Null: sql.NullInt32{Int32: 3, Valid: true},
		Addr: net.HardwareAddr{1, 2}, Elem: containerlist.Element{Value: "e"}, Header: http.Header{"A": {"b", "c"}},
		Writes: []onlyWrites{{1}}, Reads: onlyReads{7}, Funcs: withFuncs{Name: "f", Call: func() {}, Next: &withFuncs{Name: "g"}},
		Box: map[string]box[int]{"a": {1}}, Text: "t", ByName: map[asJSONKey]int{{"k"}: 1},
		Block: section{"section", "<x>"}, Blocks: []blockOfSlack{&section{Text: "y"}, nil},
		Any: map[string]any{"u": url.URL{Host: "h"}, "n": []sql.NullInt32{{}}},
	}
	got, err := reflectschema.AppendValue(nil, &value)
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.Marshal(&value)
	if err != nil {
		t.Fatal(err)
	}
	if !sameJSON(t, got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}

	type input struct {
		URL    *url.URL            `json:"url,omitempty"`
		Null   sql.NullInt32       `json:"null,omitzero"`
		Header http.Header         `json:"header,omitempty"`
		Reads  onlyReads           `json:"reads,omitzero"`
		Writes onlyWrites          `json:"writes,omitzero"`
		Funcs  withFuncs           `json:"funcs,omitzero"`
		Box    map[string]box[int] `json:"box,omitempty"`
		ByName map[asJSONKey]int   `json:"byName,omitempty"`
		Text   asJSONText          `json:"text,omitempty"`
	}
	for _, data := range []string{
		`{"url":{"Scheme":"https","Host":"a.b"},"null":{"Int32":3,"Valid":true},"header":{"A":["b"]}}`,
		`{"reads":[1,2],"writes":{"N":4},"funcs":{"name":"x","next":{"name":"y"},"unknown":1}}`,
		`{"box":{"a":{"Value":1}},"byName":{"k":2},"text":"<u>"}`,
		`{"url":null,"header":null}`,
	} {
		got, err := decode[input](t, data)
		var want input
		if err := json.Unmarshal([]byte(data), &want); err != nil {
			t.Fatal(err)
		}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, error %v\nwant %+v", data, got, err, want)
		}
	}
	for data, want := range map[string]string{
		`{"null":{"Int32":"3","Valid":true}}`: "null.Int32: must be an integer",
		`{"null":{"Int32":3}}`:                "null.Valid: is required",
		`{"null":null}`:                       "null: must be an object",
		`{"url":{"Scheme":1}}`:                "url.Scheme: must be a string",
		`{"byName":{"":1}}`:                   "is not an allowed name",
	} {
		if _, err := decode[input](t, data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", data, err, want)
		}
	}
	for _, bad := range []any{
		struct{ E containerlist.Element }{containerlist.Element{Value: func() {}}}, // json.Marshal fails
		struct{ B blockOfSlack }{badBlock{}},                                       // does not fit the schema
	} {
		if data, err := reflectschema.AppendValue(nil, bad); err == nil {
			t.Errorf("%T is encoded as %s, want an error", bad, data)
		}
	}
}

// A badBlock is encoded as a number, not an object.
type badBlock struct{}

func (badBlock) BlockType() string            { return "bad" }
func (badBlock) MarshalJSON() ([]byte, error) { return []byte("1"), nil }

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal(a, &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &y); err != nil {
		t.Fatal(err)
	}
	return reflect.DeepEqual(x, y)
}

// TestRegisterJSONSchema checks that the author's schema is published, in both directions.
func TestRegisterJSONSchema(t *testing.T) {
	t.Parallel()
	type holds struct {
		Null sql.NullInt32 `json:"null" doc:"A number"`
		URL  url.URL       `json:"url" jsonschema:"title=Link"`
	}
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput, reflectschema.DirectionStored} {
		got := answer(reflect.TypeFor[holds](), d)
		for _, want := range []string{`"null":{"description":"A number",` + nullInt32Schema[1:], `"url":{"title":"Link"}`} {
			if !strings.Contains(got, want) {
				t.Errorf("direction %d: got %s\nwant %s", d, got, want)
			}
		}
	}
}

// TestRegisterJSONInterface checks that an interface registered with RegisterJSON is refused in inputs, and that RegisterCodec can
// decode one.
func TestRegisterJSONInterface(t *testing.T) {
	t.Parallel()
	type holds struct{ Blocks []blockOfSlack }
	const want = `holds.Blocks (Blocks[]): reflectschema_test.blockOfSlack is an interface, registered by RegisterJSON at `
	for _, d := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionStored} {
		_, err := reflectschema.Compile(reflect.TypeFor[holds](), d)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "reflectschema.RegisterUnion") {
			t.Errorf("direction %d: got error %v, want %q", d, err, want)
		}
	}
	if got := answer(reflect.TypeFor[map[blockOfSlack]int](), reflectschema.DirectionOutput); !strings.Contains(got, "an interface, cannot be read back") {
		t.Errorf("as the key of a map: %s", got)
	}
	if data, err := reflectschema.AppendValue(nil, new(blockOfSlack)); err != nil || string(data) != "null" {
		t.Errorf("nil is encoded as %s, error %v", data, err)
	}
	in, err := decode[struct{ Block otherBlock }](t, `{"Block":{"type":"section","text":"t"}}`)
	if err != nil || in.Block != (section{"section", "t"}) {
		t.Errorf("RegisterCodec: got %v, error %v", in, err)
	}
	if data, err := reflectschema.AppendValue(nil, in); err != nil || string(data) != `{"Block":{"type":"section","text":"t"}}` {
		t.Errorf("RegisterCodec: encoded as %s, error %v", data, err)
	}
}

// TestRegisterJSONMistakes checks the errors of invalid and of conflicting registrations.
func TestRegisterJSONMistakes(t *testing.T) {
	t.Parallel()
	reflectschema.RegisterJSON[sql.NullInt32](nullInt32Schema) // the same as above
	if _, err := reflectschema.Compile(reflect.TypeFor[struct{ B thirdBlock }](), reflectschema.DirectionInput); err == nil || !strings.Contains(err.Error(), "with reflectschema.RegisterCodec") {
		t.Errorf("an interface without registration: %v", err)
	}
	reflectschema.RegisterUnion("type", map[string]thirdBlock{"section": sectionOf{}})
	for _, tt := range []struct {
		name string
		call func()
		want string
	}{
		{"pointer", func() { reflectschema.RegisterJSON[*url.URL](`{}`) }, "register the type that it points at"},
		{"not a defined type", func() { reflectschema.RegisterJSON[map[string]url.URL](`{}`) }, "it is not a defined type"},
		{"any", func() { reflectschema.RegisterJSON[any](`{}`) }, "it is not a defined type"},
		{"not a schema", func() { reflectschema.RegisterJSON[url.Userinfo](`{"type":"text"}`) }, "schema: type:"},
		{"another schema", func() { reflectschema.RegisterJSON[sql.NullInt32](`{}`) }, "it was registered differently by RegisterJSON at "},
		{"RegisterCodec before", func() { reflectschema.RegisterJSON[otherBlock](`{"type":"object"}`) }, "it was registered differently by RegisterCodec at "},
		{"Union before", func() { reflectschema.RegisterJSON[thirdBlock](`{"type":"object"}`) }, "it was registered differently by RegisterUnion at "},
		{"Union after", func() { reflectschema.RegisterUnion("type", map[string]blockOfSlack{"section": sectionOf{}}) }, "it was registered differently by RegisterJSON at "},
		{"compiled before", func() {
			_ = answer(reflect.TypeFor[struct{ L asJSONLate }](), reflectschema.DirectionOutput)
			reflectschema.RegisterJSON[asJSONLate](`{}`)
		}, "has been compiled already"},
	} {
		if got := registrationPanic(t, tt.call); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

type (
	sectionOf  struct{ Text string }
	asJSONLate struct{ N int }
)

func (sectionOf) BlockType() string { return "section" }

// TestRegisterJSONNamed checks that errors about types of other modules suggest RegisterJSON where it would accept the type.
func TestRegisterJSONNamed(t *testing.T) {
	t.Parallel()
	const advice = ", or accept the form of encoding/json, with reflectschema.RegisterJSON"
	for _, tt := range []struct {
		goType any
		d      reflectschema.Direction
		named  bool
	}{
		{struct{ T net.IPNet }{}, reflectschema.DirectionInput, true},
		{struct{ T sql.NullByte }{}, reflectschema.DirectionOutput, true},
		{struct{ T hiddenOther }{}, reflectschema.DirectionInput, true},
		{struct{ T fmt.Stringer }{}, reflectschema.DirectionOutput, true},
		{struct{ T fmt.Stringer }{}, reflectschema.DirectionInput, false},
		{struct{ T Message }{}, reflectschema.DirectionInput, false},
	} {
		if _, err := compileOwn(reflect.TypeOf(tt.goType), tt.d); strings.Contains(fmt.Sprint(err), advice) != tt.named {
			t.Errorf("%T, direction %d: got %v, want RegisterJSON suggested: %t", tt.goType, tt.d, err, tt.named)
		}
	}
	if got := answer(reflect.TypeFor[struct{ M Message }](), reflectschema.DirectionInput); !strings.Contains(got, "with protobuf.Register[reflectschema_test.Message]() of the module github.com/mcptool-go/mcptool/integrations/protobuf") {
		t.Errorf("a protobuf message: %s", got)
	}
}

type hiddenOther struct{ n int }
