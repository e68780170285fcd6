package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// request sends a modern call of a tool. It returns at the start of the response, with its status
// and a func that reads the rest.
func request(t *testing.T, addr, host, tool, arguments string) (status int, read func() string) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments +
		`,"_meta":{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+addr+"/mcp", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	for header, value := range map[string]string{"Content-Type": "application/json", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": tool} {
		r.Header.Set(header, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
	return response.StatusCode, func() string {
		answer, err := io.ReadAll(response.Body)
		if err != nil {
			t.Error(err)
		}
		return string(answer)
	}
}

// TestServe serves calls, and then shuts down with one in progress.
func TestServe(t *testing.T) {
	t.Parallel()
	registerTools()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- serve(ctx, l, "mcp.example.com") }()

	const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	tests := []struct {
		name, host, tool, arguments string
		status                      int
		want                        string
		reason                      string
	}{
		{"by the balancer's name", "mcp.example.com", "digest", `{"text":"hello"}`, 200, digest, "it is the Host that the balancer passes on"},
		{"by another name", "example.org", "digest", `{"text":"hello"}`, 403, "the Host header is not allowed", "nobody has said that it is ours"},
		{"one tool more", "mcp.example.com", "offer", `{"offered":true}`, 200, "{}", "the tools of an instance may change"},
		{"and call it", "mcp.example.com", "extra", `{}`, 200, `"result"`, "it was offered"},
		{"and withdraw it", "mcp.example.com", "offer", `{"offered":false}`, 200, "{}", "as often as one likes"},
		{"and it is gone", "mcp.example.com", "extra", `{}`, 200, `"code":-32602`, "it was withdrawn"},
	}
	for _, test := range tests {
		status, read := request(t, addr, test.host, test.tool, test.arguments)
		if got := read(); status != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %d %s, want %d with %s, because %s", test.name, status, got, test.status, test.want, test.reason)
		}
	}

	_, readBegun := request(t, addr, "mcp.example.com", "count", `{"to":12}`) // the first step has been reported
	stop()
	if got := readBegun(); !strings.Contains(got, `{"counted":12}`) { // later than a second, when requests are refused
		t.Errorf("the call that had begun was answered %s", got)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
