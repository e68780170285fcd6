package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A babbler is a server that answers every method but one: to requests of that method it sends progress notifications
// without end and no result. It uses no sockets, so it can run in a synctest bubble.
type babbler struct{ method string }

// RoundTrip implements [http.RoundTripper].
func (b babbler) RoundTrip(r *http.Request) (*http.Response, error) {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
		return nil, err
	}
	if message.ID == nil {
		return response(r, http.StatusAccepted, "", http.NoBody), nil
	}
	if message.Method == b.method {
		in, out := io.Pipe()
		go func() {
			for end := time.Now().Add(time.Hour); r.Context().Err() == nil && time.Now().Before(end); { // in case bench hangs
				_, _ = io.WriteString(out, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\n\n")
				time.Sleep(10 * time.Millisecond)
			}
			_ = out.Close()
		}()
		return response(r, http.StatusOK, "text/event-stream", in), nil
	}
	result := `{"content":[{"type":"text","text":"done"}]}`
	switch message.Method {
	case "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"babbler","version":"1"}}`
	case "tools/list":
		result = `{"tools":[` + safeTool + `]}`
	}
	answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, message.ID, result)
	return response(r, http.StatusOK, "application/json", io.NopCloser(strings.NewReader(answer))), nil
}

func response(r *http.Request, status int, mediaType string, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {mediaType}}, Body: body, ContentLength: -1, Request: r,
	}
}

// TestReportsWithoutEnd checks that progress notifications do not keep bench waiting forever.
func TestReportsWithoutEnd(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		method string
		args   []string
		code   int
		want   string
	}{
		{"initialize", []string{"list"}, exitUnreachable, "it has not answered initialize within 200ms"},
		{"tools/list", []string{"list"}, exitUnreachable, "no answer within 800ms to tools/list"},
		{"tools/call", []string{"docs", "--markdown", "-"}, exitOK, "It did not answer within 800ms."},
		{"tools/call", []string{"run", "-n", "1", "--warmup", "0s", "-c", "1"}, exitUnreachable, "no answer within 800ms to tools/call of look"},
	} {
		t.Run(test.method+" "+test.args[0], func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out, problems bytes.Buffer
				con := newTestConsole("", &out, &problems)
				con.transport = babbler{test.method}
				code := run(t.Context(), append(test.args, "--era", "legacy", "--timeout", "200ms", "http://127.0.0.1/mcp"), con)
				if told := out.String() + problems.String(); code != test.code || !strings.Contains(told, test.want) {
					t.Errorf("exit code %d, want %d and %q\n%s", code, test.code, test.want, told)
				}
			})
		})
	}
}
