package strictjson_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

func TestMessage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		kind       envelope.Kind
		id         string
		readable   string // "" means the text
		isError    bool
	}{
		{"a request", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, envelope.Request, "1", "", false},
		{"half an emoji", `{"id":1,"result":{"a":"\ud83d"}}`, envelope.Response, "1", `{"id":1,"result":{"a":"\ufffd"}}`, false},
		{"Latin-1", "{\"method\":\"caf\xe9\"}", envelope.Notification, "", "{\"method\":\"caf\ufffd\"}", false},
		{"half an emoji in the id", `{"id":"\ud83d","result":{}}`, envelope.Response, `"\ufffd"`, `{"id":"\ufffd","result":{}}`, false},
		{"not a message", `{"a":"\ud83d"}`, envelope.Malformed, "", `{"a":"\ufffd"}`, false},
		{"NaN in a response", `{"result":{"a":NaN},"id":"x"}`, envelope.Response, `"x"`, "", true},
		{"NaN and half an emoji", `{"id":1,"result":["\ud83d",NaN]}`, envelope.Response, "1", "", true},
		{"NaN in a request", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}`, envelope.Malformed, "", "", true},
		{"NaN in a response without an id", `{"id":null,"error":NaN}`, envelope.Malformed, "", "", true},
		{"a deep response", `{"id":1,"result":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, envelope.Response, "1", "", true},
		{"text", `listening`, envelope.Malformed, "", "", true},
	} {
		m, readable, err := strictjson.Message([]byte(test.text), 50)
		if want := test.readable; want == "" && string(readable) != test.text || want != "" && string(readable) != want {
			t.Errorf("%s: readable text %q", test.name, readable)
		}
		if m.Kind != test.kind || string(m.ID) != test.id || (err != nil) != test.isError {
			t.Errorf("%s: kind %d, id %s, error %v; want kind %d, id %s, an error %v", test.name, m.Kind, m.ID, err, test.kind, test.id, test.isError)
		}
	}
}
