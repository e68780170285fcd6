package swap

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
)

func TestWith(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ object, want string }{
		{`{}`, `{"id":7}`},
		{` { } `, ` {"id":7 } `},
		{`{"a":1}`, `{"id":7,"a":1}`},
		{`{ "id" : "x" , "a":{"id":2}}`, `{ "id" : 7 , "a":{"id":2}}`},
		{`{"a":{"id":2},"id":null}`, `{"a":{"id":2},"id":7}`},
		{`{"\u0069d":1}`, `{"\u0069d":7}`},
	} {
		if got := string(with([]byte(test.object), "id", []byte("7"))); got != test.want {
			t.Errorf("with(%s) = %s, want %s", test.object, got, test.want)
		}
	}
}

// FuzzWith checks that with changes one member and nothing else.
func FuzzWith(f *testing.F) {
	f.Add(`{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"tools":{}}}}`, "id")
	f.Add(`{"a":"\ud83d\ude00","b":[1,{}]}`, "c")
	f.Fuzz(func(t *testing.T, text, name string) {
		m := parse([]byte(text))
		before, after := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		if m.Kind == 0 || json.Unmarshal(m.text, &before) != nil || strings.ContainsFunc(name, func(r rune) bool { return r < 'a' || r > 'z' }) {
			return
		}
		if err := json.Unmarshal(with(m.text, name, []byte("7")), &after); err != nil {
			t.Fatal(err)
		}
		before[name] = []byte("7")
		if len(before) != len(after) {
			t.Fatalf("%d members, want %d", len(after), len(before))
		}
		for name, want := range before {
			if string(after[name]) != string(want) {
				t.Errorf("%s is %s, want %s", name, after[name], want)
			}
		}
	})
}

// TestEvents has streams as servers write them. Messages become upper case.
func TestEvents(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, stream, want string }{
		{"a message", "data: a\n\n", "data: A\n\n"},
		{"with all fields", "event: message\nid: 1\nretry: 5\ndata:a\n\n", "event: message\nid: 1\nretry: 5\ndata: A\n\n"},
		{"in lines, which end with CR", "data: a\r\ndata:  b\r\n\r\n", "data: A\ndata:  B\n\n"},
		{"without data", "id: 1\ndata:\n\n", "id: 1\ndata:\n\n"},
		{"a comment", ": x\n\n", ": x\n\n"},
		{"empty lines", "\n\n\ndata: a\n\n", "data: A\n\n"},
		{"dropped", "id: 1\ndata: drop\n\ndata: a\n\n", "data: A\n\n"},
		{"cut off", "data: a\n\ndata: b\n", "data: A\n\n"},
	} {
		got := ""
		hasIDs, err := copyEvents(strings.NewReader(test.stream), func(text []byte) []byte {
			if string(text) == "drop" {
				return nil
			}
			return bytes.ToUpper(text)
		}, func(event []byte) { got += string(event) })
		if !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		if has := strings.Contains(test.stream, "id: "); hasIDs != has {
			t.Errorf("%s: it has ids: %t, want %t", test.name, hasIDs, has)
		}
		if got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}
