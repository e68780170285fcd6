package strictjson_test

import (
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
