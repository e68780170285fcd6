package rawjson_test

import (
	"errors"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
	"github.com/mcptool-go/mcptool/internal/testing/ijson"
)

// compacted are texts and their compact forms, "" for a text that is not valid.
var compacted = []struct{ text, want string }{
	{" { \"a\" : [ 1 , 2.50 , -0 , 1E+2 ] ,\r\n\t\"b\" : { } , \"c\" : [ ] } ", `{"a":[1,2.50,-0,1E+2],"b":{},"c":[]}`},
	{`[true,false,null]`, `[true,false,null]`},
	{`{"a":1, "a":2}`, `{"a":1,"a":2}`},
	{`" , : "`, `" , : "`},
	{`"\u0061\/\u00e9\ud83d\ude00"`, `"a/é😀"`},
	{`"\u0022\u005c\u0008\u000c\u000a\u000d\u0009"`, `"\"\\\b\f\n\r\t"`},
	{`"\"\\\b\f\n\r\t"`, `"\"\\\b\f\n\r\t"`},
	{`"\u001F\u007f\u2028"`, "\"\\u001f\x7f\u2028\""},
	{`{"\u0061\\u0062":"\\\u0075"}`, `{"a\\u0062":"\\u"}`},
	{``, ``},
	{`[1`, ``},
	{`1 2`, ``},
	{`"\ud800"`, ``},
	{"\"\xff\"", ``},
	{`"\x"`, ``},
}

func TestCompact(t *testing.T) {
	t.Parallel()
	for _, test := range compacted {
		got, err := rawjson.AppendCompact([]byte("x"), []byte(test.text))
		if string(got) != "x"+test.want || (err == nil) != (test.want != "") {
			t.Errorf("the compact form of %q is %q (%v), want %q", test.text, got[1:], err, test.want)
		}
	}
}

// FuzzCompact compares compact JSON with encoding/json.
func FuzzCompact(f *testing.F) {
	for _, test := range compacted {
		f.Add([]byte(test.text))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		got, err := rawjson.AppendCompact(nil, text)
		if errors.Is(err, rawjson.ErrDepth) {
			t.Skip("encoding/json allows more depth")
		}
		if want, invalid := ijson.Compact(text); string(got) != string(want) || (err == nil) != (invalid == nil) {
			t.Fatalf("the compact form of %q is %q (%v), by encoding/json %q (%v)", text, got, err, want, invalid)
		}
	})
}
