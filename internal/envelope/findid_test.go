package envelope_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

func TestFindID(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"bad UTF-8 before", "{\"jsonrpc\":\"2.0\",\"method\":\"pi\xffng\",\"id\":1}", `1`},
		{"bad UTF-8 after", "{\"id\":\"a\",\"method\":\"pi\xffng\"}", `"a"`},
		{"bad UTF-8 in it", "{\"id\":\"a\xff\",\"method\":\"ping\"}", ``},
		{"deep params before", `{"params":` + strings.Repeat(`[{"id":`, 500) + strings.Repeat(`}]`, 500) + `,"id":7}`, `7`},
		{"half a surrogate pair", `{"id":"\ud800","method":"ping"}`, ``},
		{"an id inside params", `{"params":{"id":3},"method":"x"}`, ``},
		{"quotes in strings", `{"method":"\"id\":3,}","id":4}`, `4`},
		{"a number that is too long", `{"params":{"n":` + strings.Repeat("9", 5000) + `},"id":7}`, `7`},
		{"white space", " {\n\t\"id\" : 5 ,\r\"method\" :\"x\"", `5`},
		{"cut off after it", `{"id":5,"params":{"text":"aaa`, `5`},
		{"cut off in it", `{"id":5`, ``},
		{"cut off in it, a string", `{"id":"ab`, ``},
		{"cut off before it", `{"params":{"text":"aaa`, ``},
		{"twice", `{"id":1,"id":2}`, ``},
		{"twice, the first no id", `{"id":null,"id":2}`, `2`},
		{"no id", `{"id":{},"method":"x"}`, ``},
		{"a fraction", `{"id":1.5,"method":"x"}`, ``},
		{"too long", `{"id":"` + strings.Repeat("x", 2000) + `","method":"x"}`, ``},
		{"null", `{"id":null,"method":"x"}`, ``},
		{"a response", `{"id":1,"result":{"x":tru}}`, ``},
		{"an error", `{"id":1,"error":{]}`, ``},
		{"no object", `[{"id":1}]`, ``},
		{"nothing", ``, ``},
		{"no JSON", `id: 1`, ``},
		{"two messages", `{"id":1,"method":"x"}{"id":2,"method":"x"}`, `1`},
		{"no end of a name", `{"id`, ``},
		{"an escape at the end", `{"id":"a\`, ``},
		{"no colon", `{"id" 1}`, ``},
	} {
		if got := string(envelope.FindID([]byte(test.text))); got != test.want {
			t.Errorf("%s: FindID(%.80s) = %s, want %s", test.name, test.text, got, test.want)
		}
	}
}

func TestFindResponseID(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"a result behind it", `{"jsonrpc":"2.0","id":1,"result":{"x":NaN}}`, `1`},
		{"a result before it", `{"result":{"id":3,"x":NaN},"jsonrpc":"2.0","id":"a"}`, `"a"`},
		{"an error", `{"id":1,"error":{"data":.5}}`, `1`},
		{"deep", `{"id":1,"result":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + `}`, `1`},
		{"a request", `{"id":1,"method":"x","params":{"result":NaN}}`, ``},
		{"twice", `{"id":1,"result":NaN,"id":2}`, ``},
		{"null", `{"id":null,"error":NaN}`, ``},
		{"no JSON", `result: 1`, ``},
	} {
		if got := string(envelope.FindResponseID([]byte(test.text))); got != test.want {
			t.Errorf("%s: FindResponseID(%.80s) = %s, want %s", test.name, test.text, got, test.want)
		}
	}
}

// FuzzFindID checks that FindID finds the id of a valid message, and nothing else in a prefix of one.
func FuzzFindID(f *testing.F) {
	for _, seed := range []string{`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"method":"x","params":{"id":"a\"}"},"id":"\u00e9"}`, `{"id":1,"result":{}}`} {
		f.Add([]byte(seed), len(seed)/2)
	}
	f.Fuzz(func(t *testing.T, text []byte, end int) {
		var m envelope.Message
		if m.Read(text, 64) != nil || m.Kind != envelope.Request || bytes.Contains(text, []byte(`\u`)) {
			return
		}
		if got := envelope.FindID(text); !bytes.Equal(got, m.ID) && !hasNull(text) {
			t.Errorf("FindID(%q) = %s, want %s", text, got, m.ID)
		}
		if got := envelope.FindID(text[:max(0, end)%(len(text)+1)]); got != nil && !bytes.Equal(got, m.ID) {
			t.Errorf("FindID(%q) = %s of the first bytes, want %s or nothing", text, got, m.ID)
		}
	})
}

// hasNull reports whether text may contain a null result or error, which counts as absent in a complete message.
func hasNull(text []byte) bool { return bytes.Contains(text, []byte("null")) }
