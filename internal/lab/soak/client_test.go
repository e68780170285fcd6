package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestUnexpected checks that unsolicited messages from a server are reported.
func TestUnexpected(t *testing.T) {
	t.Parallel()
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for _, test := range []struct {
		name      string
		sent      func(v *session) // prepares the session
		said      string
		want, too string // substring of the report for the message, and for its repetition; "" for none
	}{
		{"an answer without a request", nil, answer, "answers nothing", "answers nothing"},
		{"invalid JSON", nil, `{`, "answers nothing", "answers nothing"},
		{"a request", nil, `{"jsonrpc":"2.0","id":1,"method":"roots/list"}`, "roots/list", "roots/list"},
		{"an answer to a request that was cancelled", func(v *session) { v.cancelled[1] = nil }, answer, "", "answers nothing"},
		{"an answer in transit", func(v *session) { v.trailing = map[int64]bool{1: true} }, answer, "", "answers nothing"},
		{"a late answer", func(v *session) {
			ctx, cancel := context.WithCancel(t.Context())
			v.expectLate(ctx)
			cancel()
			v.expectLate(ctx)
		}, answer, "", "answers nothing"},
		{"an error for a raw message", func(v *session) { v.raw.await(make(chan []byte, 1), false) }, `{"jsonrpc":"2.0","error":{}}`, "", "answers nothing"},
		{"a batch", func(v *session) { v.raw.await(make(chan []byte, 1), false) }, `[` + answer + `]`, "", "answers nothing"},
		{"a late error", func(v *session) {
			v.raw.await(make(chan []byte, 1), false)
			v.raw.await(nil, true)
		}, `{"jsonrpc":"2.0","error":{}}`, "", "answers nothing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var noticed error
			v := &session{cancelled: map[int64][]json.RawMessage{}, wrong: func(_ []byte, err error) { noticed = err }}
			if test.sent != nil {
				test.sent(v)
			}
			for _, want := range []string{test.want, test.too} {
				noticed = nil
				v.unexpected([]byte(test.said), "it answers nothing")
				if got := fmt.Sprint(noticed); want == "" && noticed != nil || !strings.Contains(got, want) {
					t.Errorf("noticed: %s, want %q", got, want)
				}
			}
		})
	}
}

// TestProgressAfterTheEnd checks that progress of a completed request is reported, unless it belongs to a task.
func TestProgressAfterTheEnd(t *testing.T) {
	t.Parallel()
	var noticed []string
	v := &session{open: map[int64][]json.RawMessage{}, wrong: func(_ []byte, err error) { noticed = append(noticed, err.Error()) }}
	token := v.begin()
	progress := encode(object{"progressToken": token, "progress": 1})
	v.notified("notifications/progress", progress)
	told := v.end(token)
	v.notified("notifications/progress", encode(object{"progressToken": token, "_meta": object{relatedTask: object{}}}))
	v.notified("notifications/message", progress)
	if len(told) != 1 || len(noticed) > 0 {
		t.Errorf("before the end: %d reports, noticed %q", len(told), noticed)
	}
	v.trailing = map[int64]bool{token: true}
	for _, want := range []int{0, 1} { // of a cancelled request one more may come
		v.notified("notifications/progress", progress)
		if len(noticed) != want {
			t.Errorf("noticed: %q", noticed)
		}
	}
	if !strings.Contains(noticed[0], "after the end") {
		t.Errorf("noticed: %q", noticed)
	}
}

// TestQuestions checks that a question is answered once, and that an unknown one is reported.
func TestQuestions(t *testing.T) {
	t.Parallel()
	var noticed error
	v := &session{asked: map[int64]int{}, wrong: func(_ []byte, err error) { noticed = err }}
	a, err := v.elicit(t.Context(), client.Elicitation{Message: fmt.Sprintf(question, 7)})
	if want := fmt.Sprintf(`{"number":%d}`, addend(7)); err != nil || string(a.Content) != want || noticed != nil {
		t.Errorf("%v, %s", err, a.Content)
	}
	if first, second := v.timesAsked(7), v.timesAsked(7); first != 1 || second != 0 {
		t.Errorf("asked %d times, then %d times", first, second)
	}
	if _, err := v.elicit(t.Context(), client.Elicitation{Message: "And now?"}); err == nil || noticed == nil {
		t.Errorf("%v, noticed: %v", err, noticed)
	}
}

// TestTorn breaks a stream after a number of messages, each of which is complete.
func TestTorn(t *testing.T) {
	t.Parallel()
	text := "id: 1\ndata: a\n\ndata: b\n\ndata: c\n\n"
	for left, want := range map[int]string{1: "id: 1\ndata: a\nretry: 10\n\n", 2: "id: 1\ndata: a\n\ndata: b\nretry: 10\n\n", 4: text} {
		body := io.NopCloser(strings.NewReader(text))
		got, err := io.ReadAll(&torn{body: body, in: bufio.NewReader(body), left: left})
		if string(got) != want || errors.Is(err, io.ErrUnexpectedEOF) != (left < 4) {
			t.Errorf("%d messages: %q, %v", left, got, err)
		}
	}
}

// TestWireNotices checks that an unended session, and the resumption of a stream in a revision without it, are
// reported.
func TestWireNotices(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, event string
		status              int
		rev                 revision
		want                string
	}{
		{"DELETE of a session", http.MethodDelete, "", http.StatusNoContent, "2025-06-18", ""},
		{"DELETE of an unknown session", http.MethodDelete, "", http.StatusNotFound, "2025-06-18", "404"},
		{"a stream that can be resumed", http.MethodGet, "7", http.StatusOK, "2025-11-25", ""},
		{"a stream that ended too early", http.MethodGet, "7", http.StatusOK, "2025-06-18", "before its response"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			url := serveStatus(t, test.status)
			var noticed error
			w := &wire{rev: test.rev, base: newHTTP(), wrong: func(_ []byte, err error) { noticed = err }}
			r, err := http.NewRequestWithContext(withFault(t.Context()), test.method, url, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Last-Event-Id", test.event)
			response, err := w.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			if err := response.Body.Close(); err != nil {
				t.Error(err)
			}
			if got := fmt.Sprint(noticed); (test.want == "") != (noticed == nil) || !strings.Contains(got, test.want) && test.want != "" {
				t.Errorf("noticed: %s, want %q", got, test.want)
			}
			if got := w.isDeleted.Load(); got != (test.status == http.StatusNoContent) {
				t.Errorf("the session counts as ended: %t", got)
			}
		})
	}
}

// TestDelete ends a session after the response to the first DELETE was lost.
func TestDelete(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]string{http.StatusNoContent: "", http.StatusNotFound: "", http.StatusInternalServerError: "500"} {
		v := &session{rev: "2025-06-18", wire: &wire{base: newHTTP(), url: serveStatus(t, status)}}
		if err := v.delete(t.Context()); (err == nil) != (want == "") || !strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("status %d: %v, want an error with %q", status, err, want)
		}
	}
}

// serveStatus returns the URL of a server that responds with a status.
func serveStatus(t *testing.T, status int) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
	t.Cleanup(web.Close)
	return web.URL
}
