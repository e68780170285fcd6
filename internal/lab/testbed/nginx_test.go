package testbed

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const host = "quiet.example"

// TestQuietCalls checks that a call of 6 s survives nginx, which gives up after 3 s without data, only if streamhttp
// sends comments.
func TestQuietCalls(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts nginx, and takes 6 s")
	}
	if _, err := FindNginx(); err != nil {
		t.Skip(err)
	}
	url := startQuiet(t)
	var calls sync.WaitGroup
	defer calls.Wait()
	for _, token := range []string{"", `"progressToken":"p",`} {
		calls.Go(func() {
			const version = "2026-07-28"
			header := http.Header{"Mcp-Protocol-Version": {version}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"quiet"}}
			wantDone(t, "modern, _meta "+token, post(t, url, header,
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quiet","_meta":{`+token+
					`"io.modelcontextprotocol/protocolVersion":"`+version+`","io.modelcontextprotocol/clientCapabilities":{}}}}`))
		})
		for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
			calls.Go(func() {
				begun := post(t, url, nil, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"`+version+
					`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
				header := http.Header{"Mcp-Session-Id": {begun.header.Get("Mcp-Session-Id")}}
				wantDone(t, version+", _meta "+token, post(t, url, header,
					`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"quiet","_meta":{`+strings.TrimSuffix(token, ",")+`}}}`))
			})
		}
	}
}

// startQuiet serves the tool quiet behind nginx and returns the URL.
func startQuiet(t *testing.T) (url string) {
	t.Helper()
	quiet, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case <-time.After(6 * time.Second):
			return "done", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}, mcptool.Name("quiet"))
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(quiet); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	handler, err := streamhttp.NewHandler(&runtime.Server{Tools: tools}, streamhttp.KeepAlive(time.Second), streamhttp.AllowHosts(host))
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle("/mcp", handler)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	nginx, err := StartNginx(t.Context(), Config{
		Dir: t.TempDir(), Host: host, Instances: []string{server.Listener.Addr().String()}, Stderr: os.Stderr, ReadTimeout: 3 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = nginx.Stop() })
	return "http://" + nginx.Addr + "/mcp"
}

// response is a response that has been read completely.
type response struct {
	header http.Header
	text   string // status and body
}

// post posts a message.
func post(t *testing.T, url string, header http.Header, body string) (r response) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return r
	}
	request.Host = host
	for name, values := range header {
		request.Header[name] = values
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Error(err)
		return r
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return response{answer.Header, fmt.Sprint(answer.Status, "\n", string(text))}
}

// wantDone checks that the call has returned its result.
func wantDone(t *testing.T, call string, r response) {
	t.Helper()
	if !strings.HasPrefix(r.text, "200 ") || !strings.Contains(r.text, "done") {
		t.Errorf("%s: %s", call, r.text)
	}
}
