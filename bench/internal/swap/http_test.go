package swap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/swap"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// listening returns a version that runs this binary as the named server on a free port.
func listening(t *testing.T, child, name string, env ...string) swap.Version {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	_ = l.Close()
	v := version(child, name, append(env, addrKey+"="+addr)...)
	v.Addr = addr
	return v
}

// serve serves a front over HTTP, and returns the URL.
func serve(t *testing.T, f *swap.Front) string {
	t.Helper()
	s := httptest.NewServer(f)
	t.Cleanup(func() {
		_ = f.Close() // otherwise streams stay open
		s.Close()
	})
	return s.URL + "/mcp"
}

// dial connects a client to a server.
func dial(t *testing.T, to client.Target, o client.Options) *client.Client {
	t.Helper()
	o.Timeout = patient
	c, err := client.Dial(t.Context(), to, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// callTool calls a tool, and returns the text of the result, after "error: " if it has failed.
func callTool(ctx context.Context, c *client.Client, tool, args string) string {
	r, err := c.Call(ctx, tool, json.RawMessage(args))
	if err != nil {
		return "error: " + err.Error()
	}
	text := string(r.StructuredContent)
	if text == "" && len(r.Content) > 0 {
		text = r.Content[0].Text
	}
	if r.IsError {
		return "error: " + text
	}
	return text
}

// TestQuestions has ten swaps behind a client over HTTP in each era, each while a call runs and
// another one asks the user.
func TestQuestions(t *testing.T) {
	t.Parallel()
	for _, era := range []client.Era{client.Legacy, client.Modern} {
		t.Run(string(era), func(t *testing.T) {
			t.Parallel()
			f, _ := newFront(t, swap.Options{})
			url := serve(t, f)
			use(t, f, listening(t, "server", "v0"))
			var questions atomic.Int32
			c := dial(t, client.Target{URL: url}, client.Options{
				Era:    era,
				Notify: func(string, json.RawMessage) {},
				Elicit: func(_ context.Context, q client.Elicitation) (client.ElicitResult, error) {
					questions.Add(1)
					time.Sleep(300 * time.Millisecond) // the server is replaced meanwhile
					return client.ElicitResult{Action: "accept", Content: json.RawMessage(`{"name":"Ada"}`)}, nil
				},
			})
			sub, err := c.Subscribe(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			for i := range swaps() {
				before := fmt.Sprintf("v%d", i)
				after := fmt.Sprintf("v%d", i+1)
				var calls sync.WaitGroup
				var waited, asked string
				begun := make(chan struct{}, 2)
				calls.Go(func() {
					begun <- struct{}{}
					waited = callTool(t.Context(), c, "wait", `{"ms":400}`)
				})
				calls.Go(func() {
					begun <- struct{}{}
					asked = callTool(t.Context(), c, "ask", `{}`)
				})
				<-begun
				<-begun
				time.Sleep(100 * time.Millisecond) // the server has the calls
				use(t, f, listening(t, "server", after))
				select {
				case <-sub.Changed():
				case <-time.After(patient):
					t.Fatal("no list_changed")
				}
				if got, want := callTool(t.Context(), c, "wait", `{"ms":0}`), `{"version":"`+after+`"}`; got != want {
					t.Errorf("the new call returns %s, want %s", got, want)
				}
				calls.Wait()
				if want := `{"version":"` + before + `"}`; waited != want {
					t.Errorf("the old call returns %s, want %s", waited, want)
				}
				if want := `{"name":"Ada","version":"` + before + `"}`; asked != want {
					t.Errorf("the call that asks returns %s, want %s", asked, want)
				}
			}
			if n := int(questions.Load()); n != swaps() {
				t.Errorf("%d questions, want %d", n, swaps())
			}
			if err := sub.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// post posts a message, and returns the response.
func post(t *testing.T, url, session, body string, header ...string) (*http.Response, string) {
	t.Helper()
	resp := send(t, http.MethodPost, url, session, body, header...)
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	return resp, strings.TrimSpace(string(text))
}

// send sends a request of a session, "" if there is none, with further headers.
func send(t *testing.T, method, url, session, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		r.Header.Set("Mcp-Session-Id", session)
	}
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// endSession ends a session.
func endSession(t *testing.T, url, session string) {
	t.Helper()
	resp := send(t, http.MethodDelete, url, session, "")
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Errorf("the end of a session is answered with %s", resp.Status)
	}
}

// beginSession does the legacy handshake, and returns the session.
func beginSession(t *testing.T, url string) (session, answer string) {
	t.Helper()
	resp, answer := post(t, url, "", initialize)
	session = resp.Header.Get("Mcp-Session-Id")
	if session == "" {
		t.Fatalf("no session: %s %s", resp.Status, answer)
	}
	post(t, url, session, initialized)
	return session, answer
}

// TestHTTPBroken has builds that fail, at first and later.
func TestHTTPBroken(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	f.Broken("main.go:3: no")
	session, answer := beginSession(t, url)
	if !strings.Contains(answer, `"name":"bench dev"`) {
		t.Errorf("the front answers %s", answer)
	}
	steps := func(version, list string) {
		t.Helper()
		for request, want := range map[string]string{
			call("1", "x"): failed("1", "main.go:3: no"),
			`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`:                             list,
			`{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"x"}}`:      `{"error":{"code":-32603,"message":"main.go:3: no"},"id":3,"jsonrpc":"2.0"}`,
			`{"jsonrpc":"2.0","id":4,"method":"resources/templates/list","params":null}`: `{"id":4,"jsonrpc":"2.0","result":{"resourceTemplates":[]}}`,
		} {
			if _, got := post(t, url, session, request); !strings.Contains(got, want) {
				t.Errorf("%s: %s is answered with %s, want %s", version, request, got, want)
			}
		}
	}
	steps("none", `{"id":2,"jsonrpc":"2.0","result":{"tools":[]}}`)
	use(t, f, listening(t, "server", "v1"))
	if _, got := post(t, url, session, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"wait","arguments":{"ms":0}}}`); !strings.Contains(got, `{"version":"v1"}`) {
		t.Errorf("v1 answers %s", got)
	}
	f.Building()
	f.Broken("main.go:3: no")
	steps("v1", `"name":"wait"`)
}

// TestHTTPSession checks the life of a session.
func TestHTTPSession(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	use(t, f, listening(t, "server", "v1"))
	session, _ := beginSession(t, url)
	resp := send(t, http.MethodGet, url, session, "")
	defer func() { _ = resp.Body.Close() }()
	use(t, f, listening(t, "server", "v2"))
	text := make([]byte, 1000)
	n, err := resp.Body.Read(text)
	if want := "data: " + toolsNote + "\n\n"; err != nil || string(text[:n]) != want {
		t.Errorf("the stream has %q, %v, want %q", text[:n], err, want)
	}
	endSession(t, url, session)
	if rest, err := io.ReadAll(resp.Body); err != nil {
		t.Errorf("the stream ends with %q, %v", rest, err)
	}
	if resp, text := post(t, url, session, call("1", "x")); resp.StatusCode != http.StatusNotFound || !strings.Contains(text, "unknown or ended session") {
		t.Errorf("the ended session is answered with %s: %s", resp.Status, text)
	}
}

// TestHTTPSessionEndsAsked has a session that ends without an answer to a question. A replaced server does not wait for it.
func TestHTTPSessionEndsAsked(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{Grace: time.Hour})
	url := serve(t, f)
	v1 := listening(t, "rawhttp", "v1")
	use(t, f, v1)
	session, _ := beginSession(t, url)
	if _, text := post(t, url, session, call("1", "ask")); !strings.Contains(text, "elicitation/create") {
		t.Fatalf("the call returns %s", text)
	}
	endSession(t, url, session)
	use(t, f, listening(t, "rawhttp", "v2"))
	waitFor(t, "the end of v1", func() bool {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", v1.Addr)
		if err == nil {
			_ = conn.Close()
		}
		return err != nil
	})
}

// TestHTTPState checks what a new server gets before a message of a session, and after the end of the session.
func TestHTTPState(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	env, log := logFile(t)
	use(t, f, listening(t, "rawhttp", "v1", env))
	const token = "Bearer x"
	resp, _ := post(t, url, "", initialize, "Authorization", token)
	session := resp.Header.Get("Mcp-Session-Id")
	if session == "session-of-v1" {
		t.Error("the client gets the id of the session in the server")
	}
	for _, m := range []string{
		initialized,
		`{"jsonrpc":"2.0","id":1,"method":"logging/setLevel","params":{"level":"info"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
	} {
		post(t, url, session, m, "Authorization", token)
	}
	use(t, f, listening(t, "rawhttp", "v2", env))
	if _, got := post(t, url, session, call("3", "x"), "Authorization", token, "Mcp-Protocol-Version", "2025-06-18"); got != result("3", "v2") {
		t.Errorf("the call returns %s", got)
	}
	endSession(t, url, session)
	var got []string
	for line := range strings.Lines(log()) {
		if line, ok := strings.CutPrefix(line, "v2 "); ok {
			got = append(got, strings.TrimSpace(line))
		}
	}
	const head = "POST session-of-v2 2025-06-18 Bearer x "
	want := []string{`POST   Bearer x {"jsonrpc":"2.0","id":"`, head + initialized, head + `{"jsonrpc":"2.0","id":"`, head + `{"jsonrpc":"2.0","id":"`, head + call("3", "x"), "DELETE session-of-v2"}
	if len(got) != len(want) {
		t.Fatalf("v2 gets\n%s", strings.Join(got, "\n"))
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("message %d of v2 is %s, want %s", i, got[i], want[i])
		}
	}
	if !strings.Contains(got[2], `"uri":"a:b"`) || !strings.Contains(got[3], `"level":"info"`) {
		t.Errorf("v2 gets %s and %s", got[2], got[3])
	}
}

// TestHTTPNotification has a notification that a server has not accepted when it is replaced.
func TestHTTPNotification(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	use(t, f, listening(t, "rawhttp", "v1", env))
	session, _ := beginSession(t, url)
	go func() {
		for !strings.Contains(log(), "notifications/slow") && t.Context().Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		f.Building()
		if err := f.Use(t.Context(), listening(t, "rawhttp", "v2", env)); err != nil {
			t.Error(err)
		}
	}()
	if resp, text := post(t, url, session, `{"jsonrpc":"2.0","method":"notifications/slow"}`); resp.StatusCode != http.StatusAccepted {
		t.Errorf("the notification is answered with %s %s", resp.Status, text)
	}
	if _, text := post(t, url, session, call("1", "x")); text != result("1", "v2") {
		t.Errorf("the call returns %s", text)
	}
}

// TestHTTPOtherRevision has a version that negotiates another revision than the session has.
func TestHTTPOtherRevision(t *testing.T) {
	t.Parallel()
	f, j := newFront(t, swap.Options{})
	url := serve(t, f)
	use(t, f, listening(t, "rawhttp", "v1"))
	session, _ := beginSession(t, url)
	use(t, f, listening(t, "rawhttp", "v2", "SWAP_REVISION=2025-03-26"))
	const why = "the server supports revision 2025-03-26 of the protocol, but the session of the client has 2025-06-18: connect the client again"
	for range 2 {
		if _, got := post(t, url, session, call("1", "x")); got != failed("1", why) {
			t.Errorf("the call returns %s, want %s", got, why)
		}
	}
	if n := strings.Count(j.String(), "LOG "+why); n != 1 {
		t.Errorf("the reason is logged %d times", n)
	}
	if other, answer := beginSession(t, url); !strings.Contains(answer, `"protocolVersion":"2025-03-26"`) {
		t.Errorf("a new session %s begins with %s", other, answer)
	}
}

// TestHTTPWaiting has a call that waits for a build, and is cancelled.
func TestHTTPWaiting(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	env, log := logFile(t)
	use(t, f, listening(t, "rawhttp", "v1", env))
	session, _ := beginSession(t, url)
	f.Building()
	answer := make(chan string, 1)
	go func() {
		_, text := post(t, url, session, call("1", "cancelled"))
		answer <- text
	}()
	for text := ""; text == ""; {
		resp, _ := post(t, url, session, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		if resp.StatusCode != http.StatusAccepted {
			t.Fatalf("the cancellation is answered with %s", resp.Status)
		}
		select {
		case text = <-answer:
			if text != failed("1", "the request was cancelled") {
				t.Errorf("the call returns %s", text)
			}
		case <-time.After(10 * time.Millisecond): // the call has not arrived yet
		}
	}
	use(t, f, listening(t, "rawhttp", "v2", env))
	if _, got := post(t, url, session, call("2", "x")); got != result("2", "v2") {
		t.Errorf("the next call returns %s", got)
	}
	if strings.Contains(log(), `"name":"cancelled"`) {
		t.Errorf("a server gets the cancelled call:\n%s", log())
	}
}

// TestHTTPClose has a call that waits for a build when the front is closed.
func TestHTTPClose(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	use(t, f, listening(t, "rawhttp", "v1"))
	session, _ := beginSession(t, url)
	f.Building()
	answer := make(chan string, 1)
	go func() {
		_, text := post(t, url, session, call("1", "x"))
		answer <- text
	}()
	time.Sleep(100 * time.Millisecond) // the front has the call
	closed := make(chan error, 1)
	go func() { closed <- f.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(patient):
		t.Fatal("Close does not return")
	}
	if got, want := <-answer, failed("1", "the request was cancelled"); got != want {
		t.Errorf("the call returns %s, want %s", got, want)
	}
}

// TestHTTPDeafClient has a client that does not read a stream when the front is closed.
func TestHTTPDeafClient(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	s := httptest.NewServer(f)
	t.Cleanup(func() { // the front is closed only then, if the test fails
		s.CloseClientConnections()
		s.Close()
	})
	use(t, f, listening(t, "rawhttp", "v1"))
	session, _ := beginSession(t, s.URL)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(call("1", "flood")))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", session)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }() // it was not read
	time.Sleep(300 * time.Millisecond)       // until nothing fits
	closed := make(chan error, 1)
	go func() { closed <- f.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("Close does not return")
	}
}

// TestHTTPHosts checks what web pages can do.
func TestHTTPHosts(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	url := serve(t, f)
	f.Broken("no")
	check := func(when string) {
		for _, header := range [][]string{{"Host", "evil.example"}, {"Origin", "http://evil.example"}, {"Origin", "null"}} {
			if resp, text := post(t, url, "", initialize, header...); resp.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %q is answered with %s: %s", when, header, resp.Status, text)
			}
		}
		if resp, text := post(t, url, "", initialize, "Origin", "http://localhost:6274"); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: a page of this machine gets %s: %s", when, resp.Status, text)
		}
	}
	check("without a server")
	use(t, f, listening(t, "server", "v1"))
	check("with a server")
}

// TestHTTPCrash has a server that ends in a call, and is started again for the next one.
func TestHTTPCrash(t *testing.T) {
	t.Parallel()
	for _, era := range []client.Era{client.Legacy, client.Modern} {
		f, j := newFront(t, swap.Options{})
		url := serve(t, f)
		use(t, f, listening(t, "server", "v1"))
		c := dial(t, client.Target{URL: url}, client.Options{Era: era})
		const want = "error: the server has ended (exit status 2); its stderr:"
		for range 2 {
			if got := callTool(t.Context(), c, "crash", `{}`); !strings.HasPrefix(got, want) || !strings.Contains(got, "the wrong wire was cut") {
				t.Errorf("%s: the call returns %s, want %s", era, got, want)
			}
			if got := callTool(t.Context(), c, "wait", `{"ms":0}`); got != `{"version":"v1"}` {
				t.Errorf("%s: the next call returns %s", era, got)
			}
		}
		if n := strings.Count(j.String(), "LOG the server has ended (exit status 2)"); n != 2 {
			t.Errorf("%s: the end is logged %d times", era, n)
		}
	}
}

// TestHTTPGrace has a call that does not end in time.
func TestHTTPGrace(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{Grace: 100 * time.Millisecond})
	url := serve(t, f)
	use(t, f, listening(t, "server", "v1"))
	c := dial(t, client.Target{URL: url}, client.Options{Era: client.Legacy, Notify: func(string, json.RawMessage) {}})
	got := make(chan string)
	go func() { got <- callTool(t.Context(), c, "wait", `{"ms":60000}`) }()
	time.Sleep(200 * time.Millisecond) // the server has the call
	use(t, f, listening(t, "server", "v2"))
	if got, want := <-got, "error: the server was replaced by a new build, and did not answer within 100ms"; got != want {
		t.Errorf("the call returns %s, want %s", got, want)
	}
}

// TestHTTPBadVersions has versions that do not listen.
func TestHTTPBadVersions(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{Start: 2 * time.Second})
	url := serve(t, f)
	use(t, f, listening(t, "server", "v1"))
	session, _ := beginSession(t, url)
	silent := listening(t, "silent", "v2")
	for _, test := range []struct {
		version swap.Version
		want    string
	}{
		{listening(t, "dies", "v2"), "the server has ended (exit status 3); its stderr:\npanic: no token"},
		{silent, "the server does not listen on " + silent.Addr + " within 2s, the address that replaces {addr} in its command"},
	} {
		f.Building()
		if err := f.Use(t.Context(), test.version); err == nil || err.Error() != test.want {
			t.Errorf("the error is %v, want %s", err, test.want)
		}
		if _, got := post(t, url, session, call("1", "x")); got != failed("1", test.want) {
			t.Errorf("a call returns %s", got)
		}
		if _, got := post(t, url, session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`); !strings.Contains(got, `"name":"wait"`) {
			t.Errorf("the list is %s", got)
		}
	}
}

// TestForks has servers whose child processes keep the pipes or the port. They end with the server.
func TestForks(t *testing.T) {
	t.Parallel()
	env, log := logFile(t)
	pid := func() string {
		_, rest, _ := strings.Cut(log(), "pid ")
		pid, _, ok := strings.Cut(rest, "\n")
		if !ok {
			return ""
		}
		return pid
	}
	isGone := func(pid string) func() bool {
		return func() bool {
			text, err := os.ReadFile("/proc/" + pid + "/stat")
			return err != nil || strings.Contains(string(text), ") Z ") // a zombie, if no init process of the container reaps it
		}
	}
	f, _, c := begin(t, swap.Options{}, version("forks", "v1", env))
	first := pid()
	use(t, f, version("raw", "v2", env))
	c.expect(toolsNote, resNote)
	waitFor(t, "the end of the child of v1", isGone(first))

	env, log = logFile(t)
	f, _ = newFront(t, swap.Options{})
	url := serve(t, f)
	use(t, f, listening(t, "forks", "v1", env))
	waitFor(t, "a child", func() bool { return pid() != "" })
	second := pid()
	if resp, text := post(t, url, "", initialize); resp.StatusCode != http.StatusOK || !strings.Contains(text, `"name":"bench dev"`) { // it ends
		t.Errorf("%s: %s", resp.Status, text)
	}
	waitFor(t, "the end of the child of v1", isGone(second))
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}
