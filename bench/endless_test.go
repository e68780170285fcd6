package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// newBabbler returns the URL of a server that answers all but requests of one method: to those it reports progress
// without pause, and never answers.
func newBabbler(t *testing.T, method string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var message struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if err := json.NewDecoder(r.Body).Decode(&message); err != nil || message.ID == nil {
			w.WriteHeader(http.StatusAccepted)
			return
		}
		if message.Method == method {
			w.Header().Set("Content-Type", "text/event-stream")
			for r.Context().Err() == nil {
				_, _ = fmt.Fprint(w, `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`+"\n\n")
				_ = http.NewResponseController(w).Flush()
				time.Sleep(10 * time.Millisecond)
			}
			return
		}
		result := `{"content":[{"type":"text","text":"done"}]}`
		switch message.Method {
		case "initialize":
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"babbler","version":"1"}}`
		case "tools/list":
			result = `{"tools":[` + safeTool + `]}`
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, message.ID, result)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// Reports of progress do not keep bench waiting for ever.
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
			url := newBabbler(t, test.method)
			type ending struct {
				code          int
				out, problems string
			}
			ended := make(chan ending, 1)
			go func() {
				code, out, problems := benched(t, append(test.args, "--era", "legacy", "--timeout", "200ms", url)...)
				ended <- ending{code, out, problems}
			}()
			select {
			case e := <-ended:
				if e.code != test.code || !strings.Contains(e.out+e.problems, test.want) {
					t.Errorf("exit code %d, want %d and %q\n%s%s", e.code, test.code, test.want, e.out, e.problems)
				}
			case <-time.After(30 * time.Second):
				t.Fatal("it has not ended")
			}
		})
	}
}
