package strictjson_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, want string }{
		{`{"isError":true}`, ""},
		{`{"isError":true,"iserror":false,"ISERROR":0}`, ""},
		{`{"isError":true,"isError":false}`, `member "isError" occurs twice`},
		{`{"isError":true,"\u0069sError":false}`, `member "isError" occurs twice`},
		{`{"isError":true,"other":{"a":{"b":1,"b":2}}}`, `member "other.a.b" occurs twice`},
		{`{"isError":"true"}`, `"isError" is a string, which is the wrong type or out of range`},
		{`[]`, "it is an array, which is the wrong type"},
		{`{"isError":tru`, "it is not JSON"},
		{"{\"isError\":true,\"text\":\"\xff\"}", ""},
	} {
		var got struct {
			IsError bool `json:"isError"`
		}
		err := strictjson.Decode([]byte(test.text), &got)
		switch {
		case test.want == "" && (err != nil || !got.IsError):
			t.Errorf("%s: %+v, %v", test.text, got, err)
		case test.want != "" && (err == nil || !strings.HasPrefix(err.Error(), test.want)):
			t.Errorf("%s: %v, want %s", test.text, err, test.want)
		}
	}
}

// TestDecodeValues decodes values of each kind that the messages have.
func TestDecodeValues(t *testing.T) {
	t.Parallel()
	type embedded struct {
		Inner string `json:"inner"`
	}
	type message struct {
		embedded
		List  []*int                     `json:"list"`
		Map   map[string]embedded        `json:"map,omitempty"`
		Raw   json.RawMessage            `json:"raw"`
		Raws  map[string]json.RawMessage `json:"raws"`
		Any   any                        `json:"any"`
		Other string                     `json:"-"`
	}
	got := message{Other: "x"}
	err := strictjson.Decode([]byte(` {"inner":"a\ud800\ud83d\ude00","list":[1,null],"map":{"k":{"inner":"b","Inner":0}},"raw":[ 1 ],"raws":{"n":null},"any":[{"a":1.5}],"-":1} `), &got)
	one := 1
	want := message{
		embedded: embedded{"a\ufffd😀"}, List: []*int{&one, nil}, Map: map[string]embedded{"k": {"b"}}, Raw: json.RawMessage(`[ 1 ]`),
		Raws: map[string]json.RawMessage{"n": json.RawMessage("null")}, Any: []any{map[string]any{"a": 1.5}}, Other: "x",
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v (%v), want %+v", got, err, want)
	}
	for text, want := range map[string]string{
		`{"list":[1,"a"]}`:           `"list.1" is a string, which is the wrong type or out of range`,
		`{"map":{"k":{"inner":[]}}}`: `"map.k.inner" is an array, which is the wrong type or out of range`,
		`{"list":[1e99]}`:            `"list.0" is a number, which is the wrong type or out of range`,
		`{"map":[]}`:                 `"map" is an array, which is the wrong type or out of range`,
	} {
		if err := strictjson.Decode([]byte(text), new(message)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	members, twice, err := strictjson.Members([]byte(`{"a":1,"b":{"x":1,"x":2},"A":2,"\u0061":3,"c":4,"c":5,"c":6}`))
	if err != nil || !slices.Equal(twice, []string{"a", "c"}) || len(members) != 2 || string(members["A"]) != "2" || string(members["b"]) != `{"x":1,"x":2}` {
		t.Errorf("%s, %q, %v", members, twice, err)
	}
	for _, text := range []string{"", "7", "null", `{"a"`, `{"a":1`, `{"a":1]`} {
		if members, _, err := strictjson.Members([]byte(text)); err == nil {
			t.Errorf("%q: %s, and no error", text, members)
		}
	}
}
