package page_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A browser uses the API of a page.
type browser struct {
	t    *testing.T
	page *page.Page
	url  string // of the page, with the token
}

// open serves the page of a server until the end of the test.
func open(t *testing.T, to client.Target, era client.Era, o page.Options) *browser {
	t.Helper()
	if o.Dial == nil {
		o.Dial = func(ctx context.Context, o client.Options) (*client.Client, error) {
			if o.Era = era; o.Timeout == 0 {
				o.Timeout = patient
			}
			return client.Dial(ctx, to, o)
		}
	}
	p := page.New(o)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	url, err := p.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t, p, url}
}

// A response is a response of the page, without its body.
type response struct {
	Status     string
	StatusCode int
	Header     http.Header
}

// send sends a request and returns the response and its body.
func (b *browser) send(method, path, body string, header ...string) (response, []byte) {
	b.t.Helper()
	url := b.url + path
	if strings.HasPrefix(path, "http://") {
		url = path
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if req.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return response{resp.Status, resp.StatusCode, resp.Header}, text
}

// get requests JSON and decodes it.
func get[T any](b *browser, path string) (v T) {
	b.t.Helper()
	return decoded[T](b, http.MethodGet, path, "")
}

// post sends JSON and decodes the response.
func post[T any](b *browser, path, body string) (v T) {
	b.t.Helper()
	return decoded[T](b, http.MethodPost, path, body)
}

func decoded[T any](b *browser, method, path, body string) (v T) {
	b.t.Helper()
	resp, text := b.send(method, path, body)
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "application/json" {
		b.t.Fatalf("%s %s: %s, %s: %.300s", method, path, resp.Status, resp.Header.Get("Content-Type"), text)
	}
	if err := json.Unmarshal(text, &v); err != nil {
		b.t.Fatalf("%s %s: %v", method, path, err)
	}
	return v
}

// fails sends a request and checks the status and a part of the error.
func (b *browser) fails(method, path, body string, status int, want string) {
	b.t.Helper()
	resp, text := b.send(method, path, body)
	var e struct{ Error string }
	if err := json.Unmarshal(text, &e); err != nil || resp.StatusCode != status || !strings.Contains(e.Error, want) {
		b.t.Errorf("%s %s %.100s: %s %s; want %d and an error with %q", method, path, body, resp.Status, text, status, want)
	}
}

// begin begins a call.
func (b *browser) begin(kind, name, arguments string) page.Call {
	b.t.Helper()
	quoted, _ := json.Marshal(name)
	return post[page.Call](b, "api/calls", `{"kind":"`+kind+`","name":`+string(quoted)+`,"arguments":`+arguments+`}`)
}

// await requests a call until the condition is true.
func (b *browser) await(id int, is func(c *page.Call) bool) page.Call {
	b.t.Helper()
	for end := time.Now().Add(patient); ; time.Sleep(5 * time.Millisecond) {
		calls := get[[]page.Call](b, "api/calls")
		i := slices.IndexFunc(calls, func(c page.Call) bool { return c.ID == id })
		if i >= 0 && is(&calls[i]) {
			return calls[i]
		}
		if time.Now().After(end) {
			b.t.Fatalf("call %d has not changed as expected: %+v", id, calls)
		}
	}
}

func ended(c *page.Call) bool  { return c.State != "running" && c.State != "asking" }
func asking(c *page.Call) bool { return c.State == "asking" }

// call calls a tool, prompt or resource and waits for the end.
func (b *browser) call(kind, name, arguments string) page.Call {
	b.t.Helper()
	return b.await(b.begin(kind, name, arguments).ID, ended)
}

// A state is the state of the page.
type state struct {
	Server *struct {
		Name, Title, Version, Instructions, Era, Revision string
	}
	Tools, Prompts, Resources, Templates []struct {
		Name, URI, URITemplate, Description string
		Tokens                              int
		InputSchema                         json.RawMessage
		Findings                            []struct{ Severity, Rule, Text string }
	}
	Tokens     int
	Findings   []struct{ Rule string }
	Build      *page.Build
	Connecting bool
	Transcript bool
	Target     string
	Error      string
}

// awaitState requests the state until the condition is true.
func (b *browser) awaitState(is func(s *state) bool) state {
	b.t.Helper()
	for end := time.Now().Add(patient); ; time.Sleep(5 * time.Millisecond) {
		s := get[state](b, "api/state")
		if is(&s) {
			return s
		}
		if time.Now().After(end) {
			b.t.Fatalf("the state has not changed as expected: %+v", s)
		}
	}
}

// connect connects and waits for the lists.
func (b *browser) connect() state {
	b.t.Helper()
	if err := b.page.Connect(b.t.Context()); err != nil {
		b.t.Fatal(err)
	}
	return b.awaitState(func(s *state) bool { return s.Server != nil })
}

// An event is an event of the stream.
type event struct{ name, data string }

// events opens the event stream. The stream ends with the test.
func (b *browser) events() <-chan event {
	b.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	b.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, b.url+"api/events", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req) //nolint:bodyclose // the goroutine below closes it
	if err != nil {
		b.t.Fatal(err)
	}
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || kind != "text/event-stream" {
		b.t.Fatalf("the stream is %s, %s", resp.Status, kind)
	}
	events := make(chan event)
	go func() {
		defer close(events)
		defer func() { _ = resp.Body.Close() }()
		in := bufio.NewReader(resp.Body)
		var e event
		for {
			line, err := in.ReadBytes('\n')
			if err != nil {
				return
			}
			field, value, _ := bytes.Cut(bytes.TrimSuffix(line, []byte("\n")), []byte(": "))
			switch string(field) {
			case "event":
				e.name = string(value)
			case "data":
				e.data = string(value)
			case "":
				if e.name != "" {
					select {
					case events <- e:
					case <-ctx.Done():
						return
					}
				}
				e = event{}
			}
		}
	}()
	return events
}

// awaitEvent returns the next event for which the condition is true.
func (b *browser) awaitEvent(events <-chan event, is func(e event) bool) event {
	b.t.Helper()
	deadline := time.After(patient)
	for {
		select {
		case e, ok := <-events:
			if !ok {
				b.t.Fatal("the stream has ended")
			}
			if is(e) {
				return e
			}
		case <-deadline:
			b.t.Fatal("the event does not come")
		}
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// isNull reports whether a member is null.
func isNull(member json.RawMessage) bool { return string(member) == "null" }
