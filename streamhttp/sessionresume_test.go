package streamhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// resumptions is a log that counts resumed sessions.
type resumptions struct{ syncbuffer.Buffer }

func (r *resumptions) count() int { return strings.Count(r.String(), "session resumed") }

// countResumptions makes srv log to a new resumptions.
func countResumptions(srv *runtime.Server) *resumptions {
	r := new(resumptions)
	srv.Logger = slog.New(slog.NewTextHandler(r, nil))
	return r
}

// keyed returns a server with the tools describe, which returns what the server knows of the client, and ask, which
// asks the user.
func keyed(t *testing.T, keys ...byte) *runtime.Server {
	t.Helper()
	srv := fixtureServer(t, nil)
	for _, key := range keys {
		srv.StateKeys = append(srv.StateKeys, [32]byte{0: key, 31: 1})
	}
	addTool(t, srv, "describe", func(ctx context.Context) string {
		info := mcptool.Caller(ctx)
		return info.ProtocolVersion + " " + info.Client.Name + " " + info.Client.Version + " " + info.Client.Title + " " + string(info.Capabilities)
	})
	ask, err := mcptool.New(func(ctx context.Context, _ struct{}) (mcptool.Text, error) {
		return mcptool.Text{Text: "confirmed"}, mcptool.Confirm(ctx, "Sure?")
	}, mcptool.Name("ask"))
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Tools.Add(ask); err != nil {
		t.Fatal(err)
	}
	return srv
}

// greeting returns an initialize request with these capabilities.
func greeting(version, capabilities string) string {
	return request("0", "initialize", `"protocolVersion":"`+version+`","capabilities":`+capabilities+`,"clientInfo":{"name":"desk","title":"A Desk","version":"7"}`)
}

// greet begins a session for a principal.
func (m *memory) greet(version, principal, capabilities string) (id string) {
	m.t.Helper()
	response := m.do(m.t.Context(), http.MethodPost, greeting(version, capabilities), map[string]string{"Caller": principal})
	id = response.header.Get("Mcp-Session-Id")
	if body := bodyOf(m.t, response); response.status != http.StatusOK || id == "" {
		m.t.Fatalf("status %d: %s", response.status, body)
	}
	return id
}

// TestSessionResumed: a session survives a restart only if the new process has the key that sealed its id, for the same
// server, revision and caller, and the session has not expired.
func TestSessionResumed(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	for _, test := range []struct {
		name        string
		first, then []byte // keys
		edit        func(*runtime.Server)
		principal   string // of the request after the restart; the session is of ada
		after       time.Duration
		forge       func(id string) string
		status      int
	}{
		{name: "the same key", first: []byte{1}, then: []byte{1}, status: 200},
		{name: "a week later", first: []byte{1}, then: []byte{1}, after: week, status: 200},
		{name: "expired", first: []byte{1}, then: []byte{1}, after: week + time.Second, status: 404},
		{name: "another key", first: []byte{1}, then: []byte{2}, status: 404},
		{name: "a new key before the old one", first: []byte{1}, then: []byte{2, 1}, status: 200},
		{name: "an instance that does not seal with the new key yet", first: []byte{2, 1}, then: []byte{1, 2}, status: 200},
		{name: "the old key removed", first: []byte{1, 2}, then: []byte{2}, status: 404},
		{name: "the key removed", first: []byte{1}, status: 404},
		{name: "another server of the process, without keys", status: 200},
		{name: "another principal", first: []byte{1}, then: []byte{1}, principal: "bob", status: 404},
		{name: "no principal", first: []byte{1}, then: []byte{1}, principal: "-", status: 404},
		{name: "another server", first: []byte{1}, then: []byte{1}, edit: func(s *runtime.Server) { s.Name = "other" }, status: 404},
		{name: "without the revision", first: []byte{1}, then: []byte{1}, edit: func(s *runtime.Server) { s.Revisions = []string{"2025-11-25", "2026-07-28"} }, status: 404},
		{name: "cut", first: []byte{1}, then: []byte{1}, forge: func(id string) string { return id[:len(id)-4] }, status: 404},
		{name: "longer", first: []byte{1}, then: []byte{1}, forge: func(id string) string { return id + "AAAA" }, status: 404},
		{name: "changed in the middle", first: []byte{1}, then: []byte{1}, forge: func(id string) string { return changed(id, len(id)/2) }, status: 404},
		{name: "changed at the end", first: []byte{1}, then: []byte{1}, forge: func(id string) string { return changed(id, len(id)-2) }, status: 404},
		{name: "changed in the salt", first: []byte{1}, then: []byte{1}, forge: func(id string) string { return changed(id, 4) }, status: 404},
		{name: "another version of the format", first: []byte{1}, then: []byte{1}, forge: func(id string) string { return changed(id, 0) }, status: 404},
		{name: "very long", first: []byte{1}, then: []byte{1}, forge: func(string) string { return strings.Repeat("A", 8000) }, status: 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				before := serveCallers(t, keyed(t, test.first...))
				id := before.greet("2025-06-18", "ada", `{}`)
				before.server.Close()
				time.Sleep(test.after)
				srv := keyed(t, test.then...)
				if test.edit != nil {
					test.edit(srv)
				}
				after := serveCallers(t, srv)
				if test.forge != nil {
					id = test.forge(id)
				}
				caller := "ada"
				if test.principal != "" {
					caller = strings.Trim(test.principal, "-")
				}
				for method, body := range map[string]string{
					http.MethodPost: request("1", "tools/call", `"name":"describe"`), http.MethodGet: "", http.MethodDelete: "",
				} {
					if test.status == 200 && method != http.MethodPost {
						continue
					}
					response := after.do(t.Context(), method, body, map[string]string{"Caller": caller, "Mcp-Session-Id": id})
					if response.status != test.status {
						t.Errorf("%s: status %d, want %d", method, response.status, test.status)
						continue
					}
					text := bodyOf(t, response)
					if test.status == 200 && !strings.Contains(text, "2025-06-18 desk 7 A Desk {}") {
						t.Errorf("%s: got %s", method, text)
					}
					if test.status == 404 && !strings.Contains(text, "begin a new one with initialize") {
						t.Errorf("%s: the error does not suggest initialize: %s", method, text)
					}
				}
			})
		})
	}
}

// TestForeignSessionLogged checks that only the first session id of another process is logged, with the setting to
// change. Many clients repeat requests with such an id indefinitely.
func TestForeignSessionLogged(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name         string
		before, keys []byte // keys of the process that issued the id, and of the one that receives it
		large        bool   // the client description does not fit into the id
		id           string // replaces the id
		status       int
		want         string // log record; "" for none
	}{
		{name: "random keys", before: []byte{1}, status: 404, want: "set Server.StateKeys, for example from runtime.StateKeysFromFile"},
		{name: "another key", before: []byte{1}, keys: []byte{2}, status: 404, want: "another key, or for another tenant, principal or Server.Name"},
		{name: "the same key", before: []byte{1}, keys: []byte{1}, status: 200},
		{name: "the random key of the process", status: 200},
		{name: "an id that is not sealed", large: true, status: 404},
		{name: "an id of another server", id: "2c6a6d0e-5f0e-4b8e-9d53-6a0c1f0f7b11", status: 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			before := serveCallers(t, keyed(t, test.before...))
			able := `{}`
			if test.large {
				able = `{"experimental":{"` + strings.Repeat("x", 1000) + `":{}}}`
			}
			id := before.greet("2025-06-18", "ada", able)
			if test.id != "" {
				id = test.id
			}
			srv := keyed(t, test.keys...)
			var log syncbuffer.Buffer
			srv.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
			after := serveCallers(t, srv)
			for range 3 {
				response := after.do(t.Context(), http.MethodPost, request("1", "ping", ""), map[string]string{"Caller": "ada", "Mcp-Session-Id": id})
				if bodyOf(t, response); response.status != test.status {
					t.Errorf("status %d, want %d", response.status, test.status)
				}
			}
			text := log.String()
			if n := strings.Count(text, "level=WARN"); test.want == "" && n != 0 || test.want != "" && (n != 1 || !strings.Contains(text, test.want)) {
				t.Errorf("%d records, want one with %q (none if empty): %s", n, test.want, text)
			}
			if strings.Contains(text, id) {
				t.Error("the log contains the id, which is a secret")
			}
		})
	}
}

// changed returns id with the letter at i replaced.
func changed(id string, i int) string {
	letter := "A"
	if id[i] == 'A' {
		letter = "B"
	}
	return id[:i] + letter + id[i+1:]
}

// TestSessionIDSize: ids fit into headers regardless of the client's description. If it is too large, the session
// cannot be resumed.
func TestSessionIDSize(t *testing.T) {
	t.Parallel()
	server := serveCallers(t, keyed(t, 1))
	other := serveCallers(t, keyed(t, 1))
	for size, status := range map[int]int{0: 200, 400: 200, 1000: 404, 4000: 404} {
		able := `{"experimental":{"` + strings.Repeat("x", size) + `":{}}}`
		id := server.greet("2025-11-25", "ada", able)
		if strings.Trim(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" || len(id) < 26 || len(id) > 1024 {
			t.Errorf("capabilities of %d bytes: the id has %d bytes: %s", len(able), len(id), id)
		}
		header := map[string]string{"Caller": "ada", "Mcp-Session-Id": id}
		if got := server.do(t.Context(), http.MethodPost, request("1", "ping", ""), header); got.status != http.StatusOK {
			t.Errorf("capabilities of %d bytes: status %d", len(able), got.status)
		}
		response := other.do(t.Context(), http.MethodPost, request("1", "tools/call", `"name":"describe"`), header)
		if body := bodyOf(t, response); response.status != status || status == 200 && !strings.Contains(body, strings.ReplaceAll(able, `"`, `\"`)) {
			t.Errorf("capabilities of %d bytes, at another instance: status %d, want %d: %s", len(able), response.status, status, body)
		}
	}
}

// TestSessionIDPurpose: a sealed call state, which uses the same keys, is not accepted as a session id.
func TestSessionIDPurpose(t *testing.T) {
	t.Parallel()
	server := serve(t, keyed(t, 1))
	able := strings.Replace(modern("1", "tools/call", `,"name":"ask"`), `clientCapabilities":{}`, `clientCapabilities":{"elicitation":{}}`, 1)
	body := bodyOf(t, server.do(t.Context(), http.MethodPost, able, heading("tools/call", "ask")))
	_, state, _ := strings.Cut(body, `"requestState":"`)
	state, _, found := strings.Cut(state, `"`)
	if !found {
		t.Fatalf("no state: %s", body)
	}
	if response := server.do(t.Context(), http.MethodPost, request("1", "ping", ""), map[string]string{"Mcp-Session-Id": state}); response.status != http.StatusNotFound {
		t.Errorf("call state as session id: status %d: %s", response.status, bodyOf(t, response))
	}
}

// question reads events up to an elicitation, and returns its id.
func (s *events) question(t *testing.T) (id json.Number) {
	t.Helper()
	for {
		e := s.want(t, "")
		if e.data == "" {
			continue
		}
		var m struct {
			ID     json.Number
			Method string
		}
		if err := json.Unmarshal([]byte(e.data), &m); err != nil || m.Method != "elicitation/create" {
			t.Fatalf("got %s, want a question", e.data)
		}
		return m.ID
	}
}

// TestQuestionAfterResume: client capabilities survive the restart, so a tool can ask the user. A late response to an
// elicitation from before the restart is not matched to the new one.
func TestQuestionAfterResume(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2025-06-18", "2025-11-25"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			before := serveCallers(t, keyed(t, 1))
			able, unable := before.greet(version, "ada", `{"elicitation":{}}`), before.greet(version, "ada", `{}`)
			call := request("1", "tools/call", `"name":"ask"`)
			ask := func(m *memory) (_ *events, id json.Number) {
				stream := eventsOf(m.do(t.Context(), http.MethodPost, call, map[string]string{"Caller": "ada", "Mcp-Session-Id": able}))
				return stream, stream.question(t)
			}
			_, earlier := ask(before)
			before.server.Close()
			after := serveCallers(t, keyed(t, 1))
			stream, id := ask(after)
			for _, answer := range []struct {
				id     json.Number
				action string
			}{{earlier, "decline"}, {id, "accept"}} {
				response := after.do(t.Context(), http.MethodPost, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":"%s","content":{"confirm":true}}}`, answer.id, answer.action),
					map[string]string{"Caller": "ada", "Mcp-Session-Id": able})
				if response.status != http.StatusAccepted {
					t.Errorf("response %v: status %d", answer, response.status)
				}
			}
			stream.want(t, `"text":"confirmed"`)
			response := after.do(t.Context(), http.MethodPost, call, map[string]string{"Caller": "ada", "Mcp-Session-Id": unable})
			if body := bodyOf(t, response); strings.Contains(body, "elicitation/create") || strings.Contains(body, "confirmed") {
				t.Errorf("a client without elicitation was asked: %s", body)
			}
		})
	}
}

// TestDeletedSession: an instance refuses the id of a session that was deleted there, whether or not it began the
// session.
func TestDeletedSession(t *testing.T) {
	t.Parallel()
	srv := keyed(t, 1)
	resumed := countResumptions(srv)
	here, elsewhere := serveCallers(t, srv), serveCallers(t, keyed(t, 1))
	for name, begun := range map[string]*memory{"begun here": here, "begun elsewhere": elsewhere} {
		header := map[string]string{"Caller": "ada", "Mcp-Session-Id": begun.greet("2025-11-25", "ada", `{}`)}
		if response := here.do(t.Context(), http.MethodDelete, "", header); response.status != http.StatusNoContent {
			t.Errorf("%s: DELETE: status %d, want 204", name, response.status)
		}
		count := resumed.count()
		for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
			if response := here.do(t.Context(), method, request("1", "ping", ""), header); response.status != http.StatusNotFound {
				t.Errorf("%s: %s after DELETE: status %d, want 404", name, method, response.status)
			}
		}
		if resumed.count() != count {
			t.Errorf("%s: the session was resumed", name)
		}
		// Deletions are not shared between instances.
		if response := elsewhere.do(t.Context(), http.MethodPost, request("1", "ping", ""), header); response.status != http.StatusOK {
			t.Errorf("%s: at another instance: status %d", name, response.status)
		}
	}
}

// TestResumedOnce: concurrent requests resume a session once.
func TestResumedOnce(t *testing.T) {
	t.Parallel()
	before := serveCallers(t, keyed(t, 1))
	id := before.greet("2025-11-25", "ada", `{}`)
	before.server.Close()
	srv := keyed(t, 1)
	resumed := countResumptions(srv)
	after := serveCallers(t, srv)
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			r := after.request(t.Context(), http.MethodPost, request(strconv.Itoa(i), "tools/call", `"name":"describe"`), map[string]string{"Caller": "ada", "Mcp-Session-Id": id})
			response, err := after.client.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("status %d", response.StatusCode)
			}
		})
	}
	all.Wait()
	if n := resumed.count(); n != 1 {
		t.Errorf("%d sessions resumed, want 1", n)
	}
}

// TestResumedAfterIdle: a session that expired is resumed, also without keys.
func TestResumedAfterIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := keyed(t)
		resumed := countResumptions(srv)
		client := serve(t, srv, streamhttp.SessionIdle(time.Minute)).begin("2025-11-25")
		for want := range 3 {
			if response := client.send(t.Context(), request("1", "ping", "")); response.status != http.StatusOK || resumed.count() != want {
				t.Errorf("status %d, resumed %d times, want %d", response.status, resumed.count(), want)
			}
			header := map[string]string{"Mcp-Session-Id": client.id, "MCP-Protocol-Version": "2020-01-01"}
			if response := client.do(t.Context(), http.MethodPost, request("1", "ping", ""), header); response.status != http.StatusBadRequest {
				t.Errorf("another revision: status %d", response.status)
			}
			time.Sleep(2 * time.Minute)
		}
	})
}

// TestNeverIdle checks that SessionIdle(0) disables expiry.
func TestNeverIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := keyed(t)
		resumed := countResumptions(srv)
		client := serve(t, srv, streamhttp.SessionIdle(0)).begin("2025-11-25")
		time.Sleep(30 * 24 * time.Hour)
		if response := client.send(t.Context(), request("1", "ping", "")); response.status != http.StatusOK || resumed.count() != 0 {
			t.Errorf("status %d, resumed %d times", response.status, resumed.count())
		}
	})
}

// TestResumedStream: after a restart, event ids from before match no new event. The stream of a call is lost, and the
// general stream restarts with a notification that lists may have changed. The server may ping.
func TestResumedStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := func() (*runtime.Server, *memory) {
			srv := keyed(t, 1)
			srv.Pings = runtime.Pings{Every: time.Minute, Failures: 2}
			m := serve(t, srv, streamhttp.KeepAlive(0))
			t.Cleanup(func() { m.shutdown(0) })
			return srv, m
		}
		srv, before := start()
		client := before.begin("2025-11-25")
		general := eventsOf(client.listen(t.Context(), ""))
		general.want(t, "")
		addTool(t, srv, "another", func(context.Context) string { return "" })
		last := general.want(t, "tools/list_changed").id
		calls := eventsOf(client.send(t.Context(), reporting("1", "1")))
		call := calls.want(t, "").id
		before.shutdown(0)

		srv, after := start()
		client.memory = after
		bodyOf(t, client.send(t.Context(), reporting("1", "1"))) // as many streams and events as before
		if response := client.listen(t.Context(), call); response.status != http.StatusBadRequest {
			t.Errorf("stream of a call from before the restart: status %d", response.status)
		}
		general = eventsOf(client.listen(t.Context(), last))
		general.want(t, "")
		if e := general.want(t, "tools/list_changed"); e.id == last {
			t.Errorf("event id %s reused", last)
		}
		for e := general.want(t, ""); !strings.Contains(e.data, `"method":"ping"`); e = general.want(t, "") {
			if !strings.Contains(e.data, "list_changed") {
				t.Errorf("got %s", e.data)
			}
		}
		addTool(t, srv, "more", func(context.Context) string { return "" })
		changed := general.want(t, "tools/list_changed").id
		addTool(t, srv, "last", func(context.Context) string { return "" })
		missed := general.want(t, "tools/list_changed").id
		resumed := client.listen(t.Context(), changed)
		if resumed.status != http.StatusOK {
			t.Fatalf("resuming the stream: status %d", resumed.status)
		}
		again := eventsOf(resumed)
		e := again.want(t, "")
		for e.data == "" || strings.Contains(e.data, `"method":"ping"`) {
			e = again.want(t, "")
		}
		if e.id != missed || !strings.Contains(e.data, "tools/list_changed") {
			t.Errorf("resumed with %+v, want %s", e, missed)
		}
	})
}

// TestSSENotResumed: a session of HTTP with SSE ends with its stream and is not resumed.
func TestSSENotResumed(t *testing.T) {
	t.Parallel()
	srv := keyed(t, 1)
	id := serve(t, srv).begin("2025-06-18").id
	sse := serveHandlerAt(t, loopback, newSSEHandler(t, srv)).at("/sse?sessionId=" + id)
	if response := sse.do(t.Context(), http.MethodPost, request("1", "ping", ""), nil); response.status != http.StatusNotFound {
		t.Errorf("status %d", response.status)
	}
}

// TestNotResumedInShutdown: during a shutdown, an instance resumes no session, and a load balancer may retry another
// instance.
func TestNotResumedInShutdown(t *testing.T) {
	t.Parallel()
	server := serve(t, keyed(t, 1))
	client := server.begin("2025-06-18")
	if err := server.handler.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if response := client.send(t.Context(), request("1", "ping", "")); response.status != http.StatusServiceUnavailable {
		t.Errorf("status %d", response.status)
	}
}

// TestForeignSessionAgain: an id of another caller does not use up the warning about ids that were made with another key.
func TestForeignSessionAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ofAda := serveCallers(t, keyed(t, 1)).greet("2025-06-18", "ada", `{}`)
		ofOtherKey := serveCallers(t, keyed(t, 2)).greet("2025-06-18", "ada", `{}`)
		srv := keyed(t, 1)
		var log syncbuffer.Buffer
		srv.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
		after := serveCallers(t, srv)
		for i, test := range []struct{ caller, id string }{{"bob", ofAda}, {"ada", ofOtherKey}} {
			for range 3 {
				bodyOf(t, after.do(t.Context(), http.MethodPost, request("1", "ping", ""), map[string]string{"Caller": test.caller, "Mcp-Session-Id": test.id}))
			}
			if n := strings.Count(log.String(), "level=WARN"); n != i+1 {
				t.Errorf("%d warnings, want %d: %s", n, i+1, log.String())
			}
			time.Sleep(time.Minute)
		}
	})
}
