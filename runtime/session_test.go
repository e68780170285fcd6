package runtime_test

import "testing"

func TestFirstSteps(t *testing.T) {
	t.Parallel()
	w := open(t, serve(t, tool(t, "echo", echo)))
	w.send(`{"jsonrpc":"2.0","id":0,"method":"ping"}`)
	w.want(`{"jsonrpc":"2.0","id":0,"result":{}}`)
	w.handshake("2025-06-18")
	w.send(legacy("1", "tools/list", ""))
	w.want(`"id":1,"result":{"tools":[{"name":"echo","inputSchema":{"type":"object"}}]}}`)
	w.send(legacy("2", "tools/call", `"name":"echo","arguments":{"a":"é\n"}`))
	w.want(`"result":{"structuredContent":{"a":"é\n"},"content":[{"type":"text","text":"{\"a\":\"é\\n\"}"}]}`)
	w.send(modern("3", "tools/call", `,"name":"echo"`))
	w.want(`"structuredContent":{},"content":[{"type":"text","text":"{}"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}}`)
	w.quiet()
}
