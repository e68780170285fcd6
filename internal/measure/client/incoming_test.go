package client_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// invalidAnswers are responses that are not valid JSON, or too deep, by the method of the request. They have the result
// that is read, or the problem in the error.
var invalidAnswers = map[string]struct{ format, result, problem string }{
	"half an emoji":     {`{"jsonrpc":"2.0","id":%s,"result":{"text":"Lisbon \ud83d"}}`, `{"text":"Lisbon \ufffd"}`, "unpaired surrogate in a string"},
	"a byte of Latin-1": {`{"jsonrpc":"2.0","id":%s,"result":{"text":"caf` + "\xe9" + `"}}`, `{"text":"caf` + "\ufffd" + `"}`, "invalid UTF-8 in a string"},
	"NaN":               {`{"jsonrpc":"2.0","id":%s,"result":{"value":NaN}}`, "", "expected a value, got 'N'"},
	"the result first":  {`{"result":{"value":NaN},"jsonrpc":"2.0","id":%s}`, "", "expected a value, got 'N'"},
	"an error":          {`{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"line one` + "\t" + `two"}}`, "", "control character in a string"},
	"cut off":           {`{"jsonrpc":"2.0","id":%s,"result":{"text":"Lisbon`, "", "unexpected end of input"},
	"deep":              {`{"jsonrpc":"2.0","id":%s,"result":` + strings.Repeat("[", 600) + strings.Repeat("]", 600) + `}`, "", "nested too deeply"},
}

// sendInvalid answers requests with invalidAnswers.
func sendInvalid() {
	answer(map[string]string{"server/discover": modernHello}, func(id json.RawMessage, method string) {
		fmt.Printf(invalidAnswers[method].format+"\n", id)
	})
}

// serveInvalid answers requests with invalidAnswers over HTTP. Event streams stay open.
func serveInvalid(t *testing.T, mediaType string) string {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
		}
		body, err := io.ReadAll(r.Body)
		if err := errors.Join(err, json.Unmarshal(body, &m)); err != nil {
			t.Error(err)
		}
		if m.Method == "server/discover" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, modernHello)
			return
		}
		text := fmt.Sprintf(invalidAnswers[m.Method].format, m.ID)
		if w.Header().Set("Content-Type", mediaType); mediaType == "application/json" {
			_, _ = io.WriteString(w, text)
			return
		}
		_, _ = fmt.Fprintf(w, "data: %s\n\n", text)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(web.Close)
	return web.URL
}

// overInvalid runs a test with a server that sends invalidAnswers, over each transport.
func overInvalid(t *testing.T, test func(t *testing.T, to client.Target)) {
	t.Helper()
	for name, to := range map[string]client.Target{
		"stdio":  child("invalid"),
		"JSON":   {URL: serveInvalid(t, "application/json")},
		"events": {URL: serveInvalid(t, "text/event-stream")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, to)
		})
	}
}

// TestInvalidAnswers checks that a response in invalid JSON is read, or fails its request at once.
func TestInvalidAnswers(t *testing.T) {
	t.Parallel()
	overInvalid(t, func(t *testing.T, to client.Target) {
		t.Helper()
		for method, test := range invalidAnswers {
			c := dial(t, to, client.Options{Era: client.Modern, Timeout: time.Minute})
			begun := time.Now()
			result, err := c.Request(t.Context(), method, nil)
			invalid := 1
			if method == "deep" { // which is valid
				invalid = 0
			}
			switch lost, ok := errors.AsType[*client.UnreachableError](err); {
			case test.result != "" && (err != nil || string(result) != test.result):
				t.Errorf("%s: result %s, error %v; want %s", method, result, err, test.result)
			case test.result == "" && (!ok || !strings.Contains(lost.What, "its answer to "+method+" cannot be read: ") || !strings.Contains(lost.What, test.problem)):
				t.Errorf("%s: result %s, error %v; want an UnreachableError with %q", method, result, err, test.problem)
			case time.Since(begun) > 20*time.Second:
				t.Errorf("%s: the request took %v", method, time.Since(begun))
			}
			if n, problem, around := c.InvalidMessages(); n != invalid || n > 0 && (!strings.Contains(problem, test.problem) || around == "") {
				t.Errorf("%s: %d invalid messages, %q near %q; want %d, %q", method, n, problem, around, invalid, test.problem)
			}
			if n, first := c.StrayLines(); n > 0 {
				t.Errorf("%s: %d lines that are not messages, the first is %q", method, n, first)
			}
		}
	})
}

// TestStartInvalidAnswer checks that the load API gets the error, too.
func TestStartInvalidAnswer(t *testing.T) {
	t.Parallel()
	overInvalid(t, func(t *testing.T, to client.Target) {
		t.Helper()
		for method, test := range invalidAnswers {
			c := dial(t, to, client.Options{Era: client.Modern, Timeout: time.Minute})
			p, err := c.PrepareRequest(method, nil)
			if err != nil {
				t.Fatal(err)
			}
			outcomes := make(chan outcome, 1)
			if err := c.Start(t.Context(), p, 1, func(answer []byte, err error) { outcomes <- outcome{1, string(answer), err} }); err != nil {
				t.Fatal(err)
			}
			got := <-outcomes
			if isRead := got.err == nil && json.Valid([]byte(got.answer)); isRead != (test.result != "") {
				t.Errorf("%s: response %s, error %v", method, got.answer, got.err)
			}
		}
	})
}

// TestRawInvalidAnswers checks what a Raw makes of them.
func TestRawInvalidAnswers(t *testing.T) {
	t.Parallel()
	overInvalid(t, func(t *testing.T, to client.Target) {
		t.Helper()
		for method, test := range invalidAnswers {
			raw := rawTo(t, to)
			request := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q}`, method)
			if test.result != "" {
				if got := raw.send(request, 1)[0]; !json.Valid([]byte(got)) || !strings.Contains(got, test.result) {
					t.Errorf("%s: message %s, want %s in it", method, got, test.result)
				}
			} else {
				raw.send(request, 0)
				raw.fails(test.problem)
			}
			if n, problem, _ := raw.InvalidMessages(); method != "deep" && (n != 1 || !strings.Contains(problem, test.problem)) {
				t.Errorf("%s: %d invalid messages, %q", method, n, problem)
			}
		}
	})
}

// askUnreadable answers each request after it has asked a question that is not JSON, and has got an answer.
func askUnreadable() {
	var waiting json.RawMessage
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var m struct {
			ID, Error json.RawMessage
			Method    string
		}
		switch err := json.Unmarshal(in.Bytes(), &m); {
		case err != nil:
			fmt.Fprintln(os.Stderr, err)
		case m.Method == "server/discover":
			succeed(m.ID, modernHello)
		case m.Method != "":
			waiting = m.ID
			fmt.Println(`{"jsonrpc":"2.0","id":"q","method":"elicitation/create","params":{"default":NaN}}`)
		case string(m.ID) == `"q"` && m.Error != nil:
			succeed(waiting, `{"refused":true}`)
		}
	}
}

// TestUnreadableRequest checks that a request of the server that is not JSON is refused, so that the server can go on.
func TestUnreadableRequest(t *testing.T) {
	t.Parallel()
	c := dial(t, child("unreadable"), client.Options{Era: client.Modern, Timeout: time.Minute})
	if result, err := c.Request(t.Context(), "ask", nil); err != nil || string(result) != `{"refused":true}` {
		t.Errorf("result %s, error %v; want that the server goes on", result, err)
	}
}
