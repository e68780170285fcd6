package envelope_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

func BenchmarkRead(b *testing.B) {
	const call = `"method":"tools/call","params":{"name":"get_weather","arguments":{"location":"Lisbon","unit":"celsius","days":3}`
	for _, test := range []struct{ name, text string }{
		{"call", `{"jsonrpc":"2.0","id":1000000001,` + call + `}}`},
		{"modern call", `{"jsonrpc":"2.0","id":1000000001,` + call + `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"throughput","version":"1.0.0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`},
		{"params first", `{` + call + `},"jsonrpc":"2.0","id":1000000001}`},
		{"ping", `{"jsonrpc":"2.0","id":1000000001,"method":"ping"}`},
	} {
		b.Run(test.name, func(b *testing.B) {
			text, m := []byte(test.text), new(envelope.Message)
			for b.Loop() {
				if err := m.Read(text, 256); err != nil || m.Kind != envelope.Request {
					b.Fatal(err)
				}
			}
		})
	}
}
