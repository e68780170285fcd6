package envelope_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// read calls Message.Read with a text.
func read(text []byte, maxDepth int) (m envelope.Message, err error) {
	err = m.Read(text, maxDepth)
	return m, err
}

func TestKind(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		kind       envelope.Kind
		id, flaw   string
		reason     string
	}{
		{"request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, envelope.Request, "1", "", ""},
		{"string id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, envelope.Request, `""`, "", "an empty string is a string"},
		{"big id", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, envelope.Request, "9007199254740993", "", "digits are kept"},
		{"negative id", `{"jsonrpc":"2.0","id":-7,"method":"ping"}`, envelope.Request, "-7", "", ""},
		{"late id", `{"params":{},"method":"ping","jsonrpc":"2.0","id":1}`, envelope.Request, "1", "", "order is free"},
		{"unknown members", `{"jsonrpc":"2.0","id":1,"method":"ping","trace":{"a":[1]}}`, envelope.Request, "1", "", "tolerated"},
		{"escaped names", `{"json\u0072pc":"2\u002e0","\u0069d":1,"method":"p\u0069ng"}`, envelope.Request, "1", "", "escapes are only spelling"},
		{"notification", `{"jsonrpc":"2.0","method":"x"}`, envelope.Notification, "", "", ""},
		{"notification without version", `{"method":"x"}`, envelope.Notification, "", "", "never answered, so never judged"},
		{"response", `{"jsonrpc":"2.0","id":1,"result":{}}`, envelope.Response, "1", "", ""},
		{"error without id", `{"jsonrpc":"2.0","id":null,"error":{}}`, envelope.Response, "", "", "answering it could go on for ever"},
		{"no version", `{"id":1,"method":"ping"}`, envelope.Malformed, "1", `"jsonrpc" must be "2.0"`, ""},
		{"version 1.0", `{"jsonrpc":"1.0","id":1,"method":"ping"}`, envelope.Malformed, "1", `"jsonrpc" must be "2.0"`, ""},
		{"version number", `{"jsonrpc":2.0,"id":1,"method":"ping"}`, envelope.Malformed, "1", `"jsonrpc" must be "2.0"`, ""},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, envelope.Malformed, "", "an id must be a string", "null is not absent"},
		{"fraction id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, envelope.Malformed, "", "an id must be a string", ""},
		{"array id", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, envelope.Malformed, "", "an id must be a string", ""},
		{"bool id", `{"jsonrpc":"2.0","id":true,"method":"ping"}`, envelope.Malformed, "", "an id must be a string", ""},
		{"long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("x", 1100) + `","method":"ping"}`, envelope.Malformed, "", "at most 1024", ""},
		{"no method", `{"jsonrpc":"2.0","id":1}`, envelope.Malformed, "1", `"method" is missing`, ""},
		{"empty object", `{}`, envelope.Malformed, "", `"jsonrpc" must be`, ""},
		{"null method", `{"jsonrpc":"2.0","id":1,"method":null}`, envelope.Malformed, "1", `"method" is missing`, "null is absent"},
		{"null error", `{"jsonrpc":"2.0","id":1,"method":"ping","result":null,"error":null}`, envelope.Request, "1", "", "null is absent"},
		{"null error of a response", `{"jsonrpc":"2.0","id":1,"result":{},"error":null,"method":null}`, envelope.Response, "1", "", "null is absent"},
		{"null result of a response", `{"jsonrpc":"2.0","id":1,"result":null}`, envelope.Response, "1", "", "nothing else makes it one"},
		{"method number", `{"jsonrpc":"2.0","id":1,"method":1}`, envelope.Malformed, "1", `"method" must be a string`, ""},
		{"both", `{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}`, envelope.Malformed, "1", "not both", ""},
		{"two methods", `{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}`, envelope.Malformed, "1", `duplicate member "method"`, "which one a proxy saw is anyone's guess"},
		{"tools/call twice", `{"method":"tools/call","jsonrpc":"2.0","id":1,"method":"tools/call"}`, envelope.Malformed, "1", `duplicate member "method"`, "the first is recognized as a whole"},
		{"tools/call, then another", `{"method":"tools/call","method":"ping","jsonrpc":"2.0","id":1}`, envelope.Malformed, "1", `duplicate member "method"`, "likewise"},
		{"two ids", `{"jsonrpc":"2.0","id":1,"method":"ping","id":2}`, envelope.Malformed, "", `duplicate member "id"`, "neither can be answered"},
		{"two params", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{}}`, envelope.Malformed, "1", `duplicate member "params"`, ""},
		{"flawed notification", `{"jsonrpc":"2.0","method":"x","params":{},"params":{}}`, envelope.Notification, "", `duplicate member "params"`, "ignored, but never answered"},
		{"flawed response", `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"result":{}}`, envelope.Response, "1", `duplicate member "jsonrpc"`, "likewise"},
		{"two versions", `{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"ping"}`, envelope.Malformed, "1", `duplicate member "jsonrpc"`, ""},
		{"string", `"ping"`, envelope.Malformed, "", "a message is a JSON object", ""},
		{"null", `null`, envelope.Malformed, "", "a message is a JSON object", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m, err := read([]byte(test.text), 64)
			if err != nil {
				t.Fatal(err)
			}
			if m.Kind != test.kind || string(m.ID) != test.id || !strings.Contains(m.Flaw, test.flaw) || (test.flaw == "") != (m.Flaw == "") {
				t.Errorf("got kind %d, id %s, flaw %q; want %d, %s, %q (%s)", m.Kind, m.ID, m.Flaw, test.kind, test.id, test.flaw, test.reason)
			}
			if m.Kind == envelope.Notification && (m.Method == nil) != (m.Flaw != "") {
				t.Errorf("method is %q, with flaw %q", m.Method, m.Flaw)
			}
		})
	}
}

func TestParams(t *testing.T) {
	t.Parallel()
	text := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params": {"name" : "x","arguments": {"a":[1]} ,"cursor":null,
		"_meta":{"progressToken":7,"io.modelcontextprotocol/protocolVersion":"v","io.modelcontextprotocol/clientCapabilities":{},
		"io.modelcontextprotocol/clientInfo":{"name":"c"},"io.modelcontextprotocol/logLevel":"info","mine":[2]},"inputResponses":{"q1":{}},"requestState":"s","task":{}} }`
	m, err := read([]byte(text), 64)
	if err != nil {
		t.Fatal(err)
	}
	p := m.Params
	for _, test := range []struct{ member, got, want string }{
		{"name", string(p.Name), `"x"`},
		{"arguments", string(p.Arguments), `{"a":[1]}`},
		{"cursor", string(p.Cursor), ""}, // null
		{"inputResponses", string(p.Responses), `{"q1":{}}`},
		{"requestState", string(p.State), `"s"`},
		{"progressToken", string(p.Meta.ProgressToken), "7"},
		{"protocolVersion", string(p.Meta.ProtocolVersion), `"v"`},
		{"clientCapabilities", string(p.Meta.ClientCapabilities), `{}`},
		{"clientInfo", string(p.Meta.ClientInfo), `{"name":"c"}`},
		{"logLevel", string(p.Meta.LogLevel), `"info"`},
		{"twice", p.Twice, ""},
	} {
		if test.got != test.want {
			t.Errorf("%s = %s, want %s", test.member, test.got, test.want)
		}
	}
	if !strings.HasPrefix(string(p.Raw), `{"name"`) || !strings.HasSuffix(string(p.Raw), `"task":{}}`) {
		t.Errorf("params = %s", p.Raw)
	}
	if !strings.HasPrefix(string(p.Meta.Raw), `{"progressToken"`) || !strings.HasSuffix(string(p.Meta.Raw), `[2]}`) {
		t.Errorf("_meta = %s", p.Meta.Raw)
	}

	for text, want := range map[string]string{
		`{"name":"a","name":"b"}`:                           "name",
		`{"requestState":"a","requestState":"b"}`:           "requestState",
		`{"uri":"a:b","uri":null}`:                          "uri",
		`{"_meta":{},"_meta":{}}`:                           "_meta",
		`{"_meta":null,"_meta":{}}`:                         "_meta",
		`{"arguments":[],"arguments":{}}`:                   "arguments",
		`{"_meta":{"progressToken":1,"progressToken":1}}`:   "progressToken",
		`{"x":1,"x":2,"_meta":{"y":1,"y":2},"arguments":1}`: "",
	} {
		m, err := read([]byte(`{"params":`+text+`}`), 64)
		if err != nil || m.Params.Twice != want {
			t.Errorf("%s: twice = %q, %v; want %q", text, m.Params.Twice, err, want)
		}
	}
	for text, want := range map[string]rawjson.Kind{`[1]`: rawjson.Array, `[[]]`: rawjson.Array, `[]`: rawjson.Invalid, "[ \n]": rawjson.Invalid, `null`: rawjson.Invalid, `{}`: rawjson.Object, `1`: rawjson.Number} {
		m, err := read([]byte(`{"params":`+text+`}`), 64)
		if err != nil || m.Params.Kind != want || string(m.Params.Raw) != text && want != rawjson.Invalid {
			t.Errorf("params %s: %q %s %v", text, m.Params.Kind, m.Params.Raw, err)
		}
	}
}

// TestResponse checks that responses are kept unchanged, and that duplicate
// members are flagged.
func TestResponse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][3]string{
		`{"jsonrpc":"2.0","id":7,"result":{"a":1}}`:       {`{"a":1}`, "", ""},
		`{"jsonrpc":"2.0","id":7,"error":{"code":-1}}`:    {"", `{"code":-1}`, ""},
		`{"jsonrpc":"2.0","id":7,"result":1,"result":2}`:  {"2", "", "result"},
		`{"jsonrpc":"2.0","id":7,"result":1,"error":{} }`: {"1", "{}", ""},
	} {
		m, err := read([]byte(text), 64)
		if err != nil || m.Kind != envelope.Response || string(m.Result) != want[0] || string(m.Error) != want[1] || (m.Flaw == "") != (want[2] == "") || !strings.Contains(m.Flaw, want[2]) {
			t.Errorf("%s: %d, result %s, error %s, flaw %q, %v", text, m.Kind, m.Result, m.Error, m.Flaw, err)
		}
	}
}

func TestReadError(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"id":1`, `{"id":1}x`, `{"params":{"name":}}`, `{"params":{"_meta":{"a" 1}}}`, strings.Repeat("[", 65)} {
		if m, err := read([]byte(text), 64); err == nil || m.ID != nil {
			t.Errorf("Read(%q) = %+v, %v; want an error and nothing else", text, m, err)
		}
	}
}

func TestKey(t *testing.T) {
	t.Parallel()
	if envelope.Key([]byte(`"a"`)) != envelope.Key([]byte(`"\u0061"`)) {
		t.Error("one string, two keys")
	}
	if envelope.Key([]byte(`"1"`)) == envelope.Key([]byte(`1`)) {
		t.Error("a string and a number share a key")
	}
}

func TestNoAllocations(t *testing.T) {
	text := []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":[1,2]},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`)
	var m envelope.Message
	if n := testing.AllocsPerRun(100, func() {
		if err := m.Read(text, 256); err != nil || m.Kind != envelope.Request {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("reading a request allocates %v times", n)
	}
}
