package runtime_test

import (
	"errors"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

// TestHostile sends invalid messages in each state of a session. Each must get the expected error,
// or no answer, and the session must continue.
func TestHostile(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", 2<<20)
	for _, test := range []struct {
		name, msg string
		want      string // part of the answer; "": no answer
	}{
		{"garbage", "\x00\x01\x02\xff\xfe", "-32700"},
		{"partial message", `{"jsonrpc":"2.0","id":1,"meth`, "-32700"},
		{"HTTP", "GET / HTTP/1.1", "-32700"},
		{"too large", `{"jsonrpc":"2.0","id":1,"method":"` + big + `"}`, `-32600,"message":"the message is larger than 1.0 MiB"`},
		{"too large, a batch", "[" + big, "-32600"},
		{"depth bomb of arrays", strings.Repeat("[", 500_000), `-32600,"message":"the message nests deeper than 256 levels"`},
		{"depth bomb of objects", strings.Repeat(`{"a":`, 200_000), "nests deeper"},
		{"too many values", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":[1` + strings.Repeat(",1", 400_000) + `]}}}`, `"id":1,"error":{"code":-32600,"message":"the message holds more than 400000 values"`},
		{"depth bomb in arguments", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":` + strings.Repeat("[", 300) + strings.Repeat("]", 300) + `}}}`, "nests deeper"},
		{"huge number", `{"jsonrpc":"2.0","id":1e10000000,"method":"ping"}`, "-32600"},
		{"repeated envelope members", `{"jsonrpc":"2.0","id":1,"method":"ping","params":{},"params":{"name":"echo"}}`, `"id":1,"error":{"code":-32600`},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\x28\",\"method\":\"ping\"}", "-32700"},
		{"lone surrogate", `{"jsonrpc":"2.0","id":"\ud800","method":"ping"}`, "-32700"},
		{"long id", `{"jsonrpc":"2.0","id":"` + strings.Repeat("i", 5000) + `","method":"ping"}`, "-32600"},
		{"long method", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("m", 5000) + `"}`, `"id":1,"error"`},
		{"long token", legacy("1", "ping", `"_meta":{"progressToken":"`+strings.Repeat("t", 5000)+`"}`), `-32602`},
		{"long version", `{"jsonrpc":"2.0","id":1,"method":"x","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + strings.Repeat("9", 5000) + `"}}}`, "-32022"},
		{"many members", `{` + strings.Repeat(`"a":1,`, 100_000) + `"jsonrpc":"2.0"}`, "-32600"},
		{"many notifications", `{"jsonrpc":"2.0","method":"` + strings.Repeat("n", 500_000) + `"}`, ""},
		{"escaped line break in an id", `{"jsonrpc":"2.0","id":"a\nb","method":"nope"}`, `"id":"a\nb"`},
		{"raw line breaks between tokens", "{\n\"jsonrpc\":\"2.0\",\r\n\"id\":\n5,\"method\":\"nope\"\n}\n", `"id":5,"error"`},
		{"raw line breaks in arguments", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nope\",\"params\":{\"arguments\":{\n}}}", `"id":1,"error"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, revision := range []string{"", "2024-11-05", "2025-03-26", "2025-11-25"} {
				srv := serve(t, tool(t, "echo", echo))
				srv.Limits = runtime.Limits{MaxMessageBytes: 1 << 20}
				w := open(t, srv)
				if revision != "" {
					w.handshake(revision)
				}
				w.send(test.msg)
				if test.want != "" {
					if answer := w.want(`"error"`, test.want); len(answer) > 2000 {
						t.Errorf("the answer has %d bytes, want at most 2000", len(answer))
					}
				}
				w.send(`{"jsonrpc":"2.0","id":"alive","method":"ping"}`)
				w.want(`"id":"alive","result":{}`)
			}
		})
	}
}

// TestStructuredWithLineBreaks: a tool that echoes JSON with line breaks does not break the
// framing of line-based transports (T-STDIO-01).
func TestStructuredWithLineBreaks(t *testing.T) {
	t.Parallel()
	w := open(t, serve(t, tool(t, "echo", echo)))
	w.handshake("2025-11-25")
	w.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\n\"a\" :\r\n[ 1 ]}}}")
	w.want(`"structuredContent":{"a":[1]}`)
	w.send(modern("\"x\"", "subscriptions/listen", ",\n\"notifications\":{}"))
	w.want("acknowledged")
}

// TestMemoryIsBounded receives a message far beyond the limit.
func TestMemoryIsBounded(t *testing.T) {
	srv := serve(t, tool(t, "echo", echo))
	srv.Limits = runtime.Limits{MaxMessageBytes: 1 << 20}
	w := open(t, srv)
	line := []byte(`{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 100<<20) + `"}`)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	w.session.Receive(line)
	goruntime.ReadMemStats(&after)
	w.want("-32600")
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("a line of 100 MB allocated %d bytes, want at most 1 MiB", grown)
	}
}

func TestReject(t *testing.T) {
	t.Parallel()
	w := open(t, serve(t))
	w.session.Reject(errors.New("line too long:\n more than 3 bytes \xff"), nil)
	w.want(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"line too long: more than 3 bytes ` + "\ufffd" + `"}}`)
	w.quiet()
}
