package client_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestPollDelay checks that a server cannot set a delay outside the bounds.
func TestPollDelay(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]time.Duration{
		`{}`:                        time.Second,
		`{"pollInterval":null}`:     time.Second,
		`{"pollInterval":20}`:       20 * time.Millisecond,
		`{"pollIntervalMs":1.5e3}`:  1500 * time.Millisecond,
		`{"pollIntervalMs":0}`:      10 * time.Millisecond,
		`{"pollIntervalMs":-1e308}`: 10 * time.Millisecond,
		`{"pollInterval":1e5}`:      10 * time.Second,
		`{"pollInterval":1e15}`:     10 * time.Second,
		`{"pollIntervalMs":1e308}`:  10 * time.Second,
	} {
		if got, err := client.PollDelay(state); err != nil || got != want {
			t.Errorf("%s: the delay is %v, want %v, %v", state, got, want, err)
		}
	}
}

// TestBadTask calls a tool of servers whose tasks break the protocol.
func TestBadTask(t *testing.T) {
	const (
		done   = `"content":[{"type":"text","text":"done"}]`
		result = `,"result":{` + done + `}`
		modern = `"resultType":"task","taskId":"a","status":"working","pollIntervalMs":1`
		legacy = `"task":{"taskId":"a","status":"working","pollInterval":1}`
	)
	for _, test := range []struct {
		name              string
		era               client.Era
		created, got, end string // results of tools/call, tasks/get and tasks/result
		want              string // substring of the error; "" if the call succeeds
	}{
		{"no mistake", client.Modern, modern, `"taskId":"a","status":"completed"` + result, "", ""},
		{"created without id", client.Modern, `"resultType":"task","status":"working"`, "", "", "answer to tools/call has a task without taskId"},
		{"created without status", client.Modern, `"resultType":"task","taskId":"a"`, "", "", "answer to tools/call has a task without status"},
		{"another task", client.Modern, modern, `"taskId":"b","status":"completed"` + result, "", `answer to tasks/get is about the task "b", not "a"`},
		{"no id", client.Modern, modern, `"status":"completed"` + result, "", "answer to tasks/get has a task without taskId"},
		{"null result", client.Modern, modern, `"taskId":"a","status":"completed","result":null`, "", "the task was completed, without a result"},
		{"result is a string", client.Modern, modern, `"taskId":"a","status":"completed","result":"x"`, "", "answer to tasks/get has a task whose result is not an object"},
		{"no mistake", client.Legacy, legacy, `"taskId":"a","status":"completed"`, done, ""},
		{"null task", client.Legacy, `"task":null`, "", "", "answer to tools/call has a task without taskId"},
		{"another task", client.Legacy, legacy, `"taskId":"b","status":"completed"`, "", `answer to tasks/get is about the task "b", not "a"`},
		{"no id", client.Legacy, legacy, `"status":"completed"`, "", "answer to tasks/get has a task without taskId"},
		{"no status", client.Legacy, legacy, `"taskId":"a"`, "", "answer to tasks/get has a task without status"},
	} {
		t.Run(string(test.era)+" "+test.name, func(t *testing.T) {
			t.Parallel()
			results := map[string]string{
				"server/discover": modernHello,
				"initialize":      strings.Replace(legacyHello, `"tools":{}`, `"tools":{},"tasks":{"requests":{"tools":{"call":{}}}}`, 1),
				"tools/list":      `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"x","inputSchema":{"type":"object"},"execution":{"taskSupport":"required"}}]}`,
				"tools/call":      "{" + test.created + "}",
				"tasks/get":       "{" + test.got + "}",
				"tasks/result":    "{" + test.end + "}",
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				if json.NewDecoder(r.Body).Decode(&m) != nil || m.ID == nil {
					w.WriteHeader(http.StatusAccepted)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, results[m.Method])
			}))
			t.Cleanup(server.Close)
			c := dial(t, client.Target{URL: server.URL}, client.Options{Era: test.era, Timeout: patient})
			got, err := c.Call(t.Context(), "x", nil)
			switch {
			case test.want != "":
				isOneLine(t, err, test.want)
			case err != nil || len(got.Content) != 1 || got.Content[0].Text != "done":
				t.Errorf("the result is %+v, %v", got, err)
			}
		})
	}
}
