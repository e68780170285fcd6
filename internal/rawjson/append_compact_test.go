package rawjson_test

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/testing/hang"
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

// FuzzCompact compares compact JSON with encoding/json: the value stays the same, and no shorter text has the same tokens.
func FuzzCompact(f *testing.F) {
	for _, test := range compacted {
		f.Add([]byte(test.text))
	}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		defer watch()()
		got, err := rawjson.AppendCompact(nil, text)
		if valid := rawjson.Valid(text, 0); valid != nil {
			if err == nil || len(got) > 0 {
				t.Fatalf("%q is not valid (%v), but its compact form is %q", text, valid, got)
			}
			return
		}
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		before, after := tokens(t, text), tokens(t, got)
		if !reflect.DeepEqual(before, after) {
			t.Fatalf("%q has other tokens than its compact form %q", text, got)
		}
		var standard, shortest bytes.Buffer
		if err := json.Compact(&standard, got); err != nil || !bytes.Equal(standard.Bytes(), got) {
			t.Fatalf("the compact form of %q is %q, by encoding/json %q (%v)", text, got, standard.Bytes(), err)
		}
		for _, token := range after {
			if s, ok := token.(string); ok {
				shortest.Write(rawjson.AppendMinimal(nil, s))
			}
		}
		if strings.Count(string(got), `\`) != bytes.Count(shortest.Bytes(), []byte{'\\'}) {
			t.Fatalf("the compact form %q of %q has other escapes than %q", got, text, shortest.Bytes())
		}
	})
}

// tokens returns the tokens of a valid text as encoding/json reads them.
func tokens(t *testing.T, text []byte) (all []json.Token) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	for {
		token, err := dec.Token()
		switch {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatalf("%q: %v", text, err)
		}
		all = append(all, token)
	}
}
