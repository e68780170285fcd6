package streamhttp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// brokenWriter is a ResponseWriter of middleware that panics when a comment is written.
type brokenWriter struct{ *httptest.ResponseRecorder }

func (w brokenWriter) Write(p []byte) (int, error) {
	if strings.HasPrefix(string(p), ":") {
		panic("broken")
	}
	return w.ResponseRecorder.Write(p)
}

// TestBrokenWriter: a panic in the timer that keeps a stream alive does not end the process, and the response is sent.
func TestBrokenWriter(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		nap, err := mcptool.NewRaw("nap", json.RawMessage(`{"type":"object"}`), func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			mcptool.Progress(ctx, 1, 0, "")
			time.Sleep(time.Minute)
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "rested"}}}, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		tools := new(mcptool.Registry)
		if err := tools.Add(nap); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		h := newHandler(t, &runtime.Server{Tools: tools, Logger: slog.New(slog.NewJSONHandler(&log, nil))}, streamhttp.KeepAlive(time.Second))
		const version = "2026-07-28"
		r := httptest.NewRequestWithContext(t.Context(), "POST", "http://localhost/mcp", strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"progressToken":1,"io.modelcontextprotocol/protocolVersion":"`+version+`",`+
				`"io.modelcontextprotocol/clientCapabilities":{}},"name":"nap"}}`))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
			"MCP-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "nap",
		} {
			r.Header.Set(name, value)
		}
		w := brokenWriter{httptest.NewRecorder()}
		h.ServeHTTP(w, r)
		synctest.Wait() // for the timer, which logs
		if body := w.Body.String(); !strings.Contains(body, "rested") {
			t.Errorf("response: %s", body)
		}
		if !strings.Contains(log.String(), "broken") {
			t.Errorf("log: %s", log.String())
		}
	})
}
