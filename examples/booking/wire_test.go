package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

const booked = `{"booking":"T0001","seat":"1-01","price":60}`

// server returns an instance of the service: all instances share one office and one key.
func server(t *testing.T, o *Office) *runtime.Server {
	t.Helper()
	tools := &mcptool.Registry{}
	if err := tools.Add(tool(t, o)); err != nil {
		t.Fatal(err)
	}
	return &runtime.Server{Tools: tools, StateKeys: [][32]byte{{1}}}
}

// message contains the members of a server message that a client uses.
type message struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result struct {
		ResultType        string
		InputRequests     map[string]struct{ Params json.RawMessage }
		RequestState      string
		StructuredContent json.RawMessage
	}
	Error struct{ Code int }
}

// answerTo is how the user answers a question.
func answerTo(params json.RawMessage) string {
	if strings.Contains(string(params), `"class"`) {
		return `{"action":"accept","content":{"class":"1"}}`
	}
	return `{"action":"accept","content":{"confirm":true}}`
}

// patience is how long a client waits for a message before the test fails. It is long only for
// busy machines.
const patience = 30 * time.Second

// line is a connection: it sends a message and passes on received ones.
type line struct {
	t    *testing.T
	send func(msg string) // returns within patience
	in   <-chan message
}

// receive returns the next message. If none arrives, it ends the test with the stacks of all
// goroutines.
func (l line) receive() message {
	l.t.Helper()
	select {
	case m := <-l.in:
		return m
	case <-time.After(patience):
		l.t.Fatalf("no message within %v; goroutines:\n%s", patience, goroutines())
		return message{}
	}
}

// goroutines returns the stacks of all goroutines.
func goroutines() string {
	var b strings.Builder
	if err := pprof.Lookup("goroutine").WriteTo(&b, 2); err != nil {
		return err.Error()
	}
	return b.String()
}

// TestEverywhere books over each transport in each era, with the same result and one seat
// sold.
func TestEverywhere(t *testing.T) {
	t.Parallel()
	for name, dial := range map[string]func(t *testing.T, o *Office) line{"stdio": overStdio, "http": overHTTP} {
		for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
			t.Run(name+"/"+revision, func(t *testing.T) {
				t.Parallel()
				office := NewOffice(1)
				conn := dial(t, office)
				book := bookWaiting
				if revision == "2026-07-28" {
					book = bookAgain
				}
				if got := book(t, conn, revision); got != booked {
					t.Errorf("got %s, want %s", got, booked)
				}
				if want := []string{"1-01"}; !slices.Equal(office.sold, want) || office.next != 1 {
					t.Errorf("sold %v of %d held, want %v", office.sold, office.next, want)
				}
			})
		}
	}
}

// bookWaiting is a client of the handshake era, which is asked while the call runs.
func bookWaiting(t *testing.T, conn line, revision string) string {
	t.Helper()
	conn.send(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{"elicitation":{}},"clientInfo":{"name":"t","version":"1"}}}`)
	conn.receive()
	conn.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	conn.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"book_seat","arguments":{"from":"Lisbon","to":"Porto"}}}`)
	m := conn.receive()
	for ; m.Method != ""; m = conn.receive() {
		conn.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + answerTo(m.Params) + `}`)
	}
	return string(m.Result.StructuredContent)
}

// bookAgain is a client of the modern era, which calls again with its answers.
func bookAgain(t *testing.T, conn line, revision string) string {
	t.Helper()
	retry := ""
	for id := 1; id < 9; id++ {
		conn.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"%s","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}},`+
			`"name":"book_seat","arguments":{"from":"Lisbon","to":"Porto"}%s}}`, id, revision, retry))
		m := conn.receive()
		if m.Result.ResultType != "input_required" {
			return string(m.Result.StructuredContent)
		}
		var answers []string
		for key, q := range m.Result.InputRequests {
			answers = append(answers, `"`+key+`":`+answerTo(q.Params))
		}
		retry = `,"requestState":"` + m.Result.RequestState + `","inputResponses":{` + strings.Join(answers, ",") + `}`
	}
	t.Fatal("it asks for ever")
	return ""
}

// read passes on messages, one per line after a prefix, until the stream or the test ends. Any
// other way of losing a message is an error.
func read(t *testing.T, r io.Reader, prefix string, to chan<- message) {
	t.Helper()
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		text, ok := strings.CutPrefix(lines.Text(), prefix)
		if !ok || text == "" {
			continue
		}
		var m message
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Errorf("%v in %s", err, text)
			continue
		}
		select {
		case to <- m:
		case <-t.Context().Done():
		}
	}
	if err := lines.Err(); err != nil {
		t.Errorf("a stream broke off: %v", err)
	}
}

func overStdio(t *testing.T, o *Office) line {
	t.Helper()
	in, client := io.Pipe()
	answers, out := io.Pipe()
	messages := make(chan message, 9)
	ended := make(chan error, 1)
	srv := server(t, o)
	go func() { ended <- stdio.Serve(context.Background(), srv, stdio.In(in), stdio.Out(out)) }()
	var reading sync.WaitGroup
	reading.Go(func() { read(t, answers, "", messages) })
	t.Cleanup(func() {
		client.Close()
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(patience):
			t.Errorf("it still serves %v after its input has ended; goroutines:\n%s", patience, goroutines())
		}
		out.Close()
		reading.Wait()
	})
	return line{t, func(msg string) {
		hurry := time.AfterFunc(patience, func() { client.Close() })
		defer hurry.Stop()
		if _, err := io.WriteString(client, msg+"\n"); err != nil {
			t.Errorf("%v while sending %s", err, msg)
		}
	}, messages}
}

// overHTTP serves two instances behind a load balancer.
func overHTTP(t *testing.T, o *Office) line {
	t.Helper()
	return connect(t, balance(t, server(t, o), server(t, o)))
}

// transport returns a transport used by this test only: closing a server of package httptest
// also closes connections of http.DefaultTransport, and tests run in parallel.
func transport(t *testing.T) *http.Transport {
	t.Helper()
	own := &http.Transport{}
	t.Cleanup(own.CloseIdleConnections)
	return own
}

// connect returns a client over HTTP.
func connect(t *testing.T, url string) line {
	t.Helper()
	client := &http.Client{Transport: transport(t), Timeout: patience} // the timeout includes reading the body
	messages := make(chan message, 9)
	var reading sync.WaitGroup
	t.Cleanup(reading.Wait)
	var session atomic.Value
	return line{t, func(msg string) {
		r, err := http.NewRequestWithContext(context.Background(), http.MethodPost, url, strings.NewReader(msg))
		if err != nil {
			t.Error(err)
			return
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		if id, ok := session.Load().(string); ok {
			r.Header.Set("Mcp-Session-Id", id)
		}
		if strings.Contains(msg, "2026-07-28") {
			for name, value := range map[string]string{"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "book_seat"} {
				r.Header.Set(name, value)
			}
		}
		response, err := client.Do(r)
		if err != nil {
			t.Error(err)
			return
		}
		if response.StatusCode >= http.StatusInternalServerError {
			t.Errorf("%s for %s", response.Status, msg)
		}
		if id := response.Header.Get("Mcp-Session-Id"); id != "" {
			session.Store(id)
		}
		prefix := ""
		if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
			prefix = "data: "
		}
		reading.Go(func() {
			defer response.Body.Close()
			read(t, response.Body, prefix, messages)
		})
	}, messages}
}
