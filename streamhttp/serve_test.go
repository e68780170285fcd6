package streamhttp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// running is a running Serve and a client of it.
type running struct {
	*memory

	stop   context.CancelFunc // ends the context of Serve
	served chan error         // the result of Serve
}

// listening returns an in-memory listener with the address addr, and a client of it.
func listening(t *testing.T, addr net.Addr) (*memory, *pipeListener) {
	t.Helper()
	l := &pipeListener{addr: addr, conns: make(chan net.Conn), closed: make(chan struct{})}
	m := &memory{t: t, path: "/mcp", listen: l, client: &http.Client{Transport: &http.Transport{DialContext: l.dial}}}
	t.Cleanup(m.client.CloseIdleConnections)
	return m, l
}

// begin calls Serve on an in-memory listener.
func begin(t *testing.T, srv *runtime.Server, opts ...streamhttp.ServeOption) *running {
	t.Helper()
	return beginAt(t, loopback, srv, opts...)
}

// beginAt is begin on a listener with the address addr.
func beginAt(t *testing.T, addr net.Addr, srv *runtime.Server, opts ...streamhttp.ServeOption) *running {
	t.Helper()
	m, l := listening(t, addr)
	ctx, stop := context.WithCancel(t.Context())
	r := &running{memory: m, stop: stop, served: make(chan error, 1)}
	go func() { r.served <- streamhttp.Serve(ctx, l, srv, opts...) }()
	return r
}

// get returns the status of a GET, and whether the connection closes after it.
func (r *running) get(path string) (status int, closes bool) {
	r.t.Helper()
	response := r.at(path).do(r.t.Context(), http.MethodGet, "", nil)
	_, _ = io.Copy(io.Discard, response.body)
	return response.status, response.closes
}

// TestServeShutdown follows the steps of a shutdown: a delay of 2 s, and a call that runs until 1 s after it.
func TestServeShutdown(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		server := begin(t, fixtureServer(t, nil), streamhttp.ShutdownDelay(2*time.Second), streamhttp.Grace(1500*time.Millisecond))
		answered := make(chan string, 1)
		go func() { answered <- bodyOf(t, server.call(t.Context(), "sleep", `{"ms":3000}`)) }()
		synctest.Wait()
		steps := []struct {
			name         string
			at           time.Duration
			ready, calls int
			closes       bool
		}{
			{"serving", 0, 200, 200, false},
			{"delayed", time.Second, 503, 200, true},
			{"draining", 2500 * time.Millisecond, 503, 503, true},
		}
		for _, step := range steps {
			time.Sleep(time.Until(began.Add(step.at)))
			if health, _ := server.get("/healthz"); health != 200 {
				t.Errorf("%s: healthz: status %d", step.name, health)
			}
			if ready, closes := server.get("/readyz"); ready != step.ready || closes != step.closes {
				t.Errorf("%s: readyz: status %d, closes %v", step.name, ready, closes)
			}
			if call := server.call(t.Context(), "sleep", `{"ms":0}`); call.status != step.calls || call.closes != step.closes {
				t.Errorf("%s: call: status %d, closes %v", step.name, call.status, call.closes)
			}
			server.stop()
		}
		if err := <-server.served; err != nil {
			t.Error(err)
		}
		if took := time.Since(began).Round(time.Second); took != 3*time.Second { // net/http polls every few milliseconds
			t.Errorf("Serve took %v, want 3s", took)
		}
		if answer := <-answered; !strings.Contains(answer, "slept") {
			t.Errorf("response to the running call: %s", answer)
		}
		if _, err := server.listen.dial(t.Context(), "", ""); !errors.Is(err, net.ErrClosed) {
			t.Errorf("the listener is still open: %v", err)
		}
	})
}

// TestServeReadyDetails checks who gets the counters at /readyz, also during a shutdown.
func TestServeReadyDetails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		counters := new(observe.Counters)
		srv := fixtureServer(t, nil)
		srv.Observer = counters
		verbose := []streamhttp.ServeOption{streamhttp.ReadyDetails(counters), streamhttp.Grace(5 * time.Second), streamhttp.ShutdownDelay(time.Second)}
		public := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
		local, remote, without := begin(t, srv, verbose...), beginAt(t, public, srv, verbose...), begin(t, srv)
		tunnel := begin(t, srv, append(verbose, streamhttp.AllowHosts("mcp.example.com"))...)
		go local.call(t.Context(), "sleep", `{"ms":3000}`)
		synctest.Wait()
		tests := []struct {
			name, path, want string
			server           *running
			header           map[string]string
			status           int
		}{
			{"on loopback", "/readyz?verbose", `{"call":{"active":1,"ended":0,`, local, nil, 200},
			{"to another address", "/readyz?verbose", "ok\n", remote, nil, 200},
			{"with another name", "/readyz?verbose", "ok\n", local, map[string]string{"Host": "evil.example"}, 200},
			{"through a tunnel", "/readyz?verbose", "ok\n", tunnel, map[string]string{"Host": "mcp.example.com"}, 200},
			{"from a page", "/readyz?verbose", "ok\n", local, map[string]string{"Origin": "https://evil.example"}, 200},
			{"without verbose", "/readyz", "ok\n", local, nil, 200},
			{"without the option", "/readyz?verbose", "ok\n", without, nil, 200},
			{"shutting down", "/readyz?verbose", `{"call":{"active":1,"ended":0,`, local, nil, 503},
			{"shutting down, without verbose", "/readyz", "", local, nil, 503},
		}
		for _, test := range tests {
			if test.status == 503 {
				local.stop()
				synctest.Wait()
			}
			got := test.server.at(test.path).do(t.Context(), http.MethodGet, "", test.header)
			body := bodyOf(t, got)
			if got.status != test.status || !strings.HasPrefix(body, test.want) || test.want == "" && body != "" {
				t.Errorf("%s: status %d, %q", test.name, got.status, body)
			}
			isJSON := strings.HasPrefix(test.want, "{")
			if json.Valid([]byte(body)) != isJSON || isJSON != (got.header.Get("Content-Type") == "application/json") {
				t.Errorf("%s: %s, %q", test.name, got.header.Get("Content-Type"), body)
			}
		}
		for _, server := range []*running{local, remote, without, tunnel} {
			server.stop()
			if err := <-server.served; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestServeRefusals checks that with a delay, an idle server refuses requests for a second before it closes the
// listener.
func TestServeRefusals(t *testing.T) {
	t.Parallel()
	for delay, want := range map[time.Duration]time.Duration{0: 0, 300 * time.Millisecond: 600 * time.Millisecond, 2 * time.Second: 3 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := begin(t, fixtureServer(t, nil), streamhttp.ShutdownDelay(delay))
				synctest.Wait()
				began := time.Now()
				server.stop()
				if delay > 0 {
					time.Sleep(want - time.Millisecond)
					if call := server.call(t.Context(), "sleep", `{"ms":0}`); call.status != http.StatusServiceUnavailable {
						t.Errorf("status %d during the shutdown", call.status)
					}
				}
				if err := <-server.served; err != nil {
					t.Error(err)
				}
				if took := time.Since(began).Round(100 * time.Millisecond); took != want {
					t.Errorf("Serve took %v, want %v", took, want)
				}
			})
		})
	}
}

// TestServeGrace checks that the grace period ends calls, tasks and requests to other paths, and that Serve returns an
// error then.
func TestServeGrace(t *testing.T) {
	t.Parallel()
	slow := streamhttp.HTTPServer(func(_ *http.Server, mux *http.ServeMux) {
		mux.HandleFunc("/slow", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
		mux.HandleFunc("/brief", func(http.ResponseWriter, *http.Request) { time.Sleep(700 * time.Millisecond) })
	})
	tests := []struct {
		name     string
		settings map[string]string
		send     func(r *running)
		want     error
		most     time.Duration
	}{
		{"nothing", nil, func(*running) {}, nil, 0},
		{"a call", nil, func(r *running) { r.call(r.t.Context(), "sleep", `{"ms":60000}`) }, context.DeadlineExceeded, 4 * time.Second},
		{"a task", map[string]string{"tasks": "yes"}, func(r *running) { r.task("must", 60_000) }, context.DeadlineExceeded, 4 * time.Second},
		{"another path", nil, func(r *running) {
			_, _ = r.client.Do(r.at("/slow").request(r.t.Context(), http.MethodGet, "", nil)) //nolint:bodyclose // it fails
		}, context.DeadlineExceeded, 2 * time.Second},
		// net/http waits up to 5 seconds for the request of a new connection.
		{"a connection without a request", nil, func(r *running) { r.raw("") }, nil, time.Second},
		{"a partial header", nil, func(r *running) { r.raw("POST /mcp HTTP/1.1\r\nHost: local") }, nil, time.Second},
		{"a call and a connection", nil, func(r *running) {
			r.raw("")
			r.call(r.t.Context(), "sleep", `{"ms":600}`)
		}, nil, time.Second},
		{"another path and a connection", nil, func(r *running) {
			r.raw("")
			r.get("/brief")
		}, nil, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := begin(t, fixtureServer(t, test.settings), streamhttp.Grace(2*time.Second), slow)
				sent := make(chan struct{})
				go func() {
					defer close(sent)
					test.send(server)
				}()
				synctest.Wait()
				began := time.Now()
				server.stop()
				err := <-server.served
				if !errors.Is(err, test.want) || err != nil && !strings.HasPrefix(err.Error(), "the grace period of 2s was too short for calls, tasks, or requests to other paths: ") {
					t.Errorf("got %v, want %v", err, test.want)
				}
				if err != nil && strings.Count(err.Error(), context.DeadlineExceeded.Error()) != 1 {
					t.Errorf("the error repeats its reason: %v", err)
				}
				if took := time.Since(began).Round(time.Second); took > test.most {
					t.Errorf("Serve took %v, want at most %v", took, test.most)
				}
				synctest.Wait()
				select {
				case <-sent:
				default:
					t.Error("the connection is still open")
				}
			})
		})
	}
}

// TestServeWithoutGrace checks that Grace(0) cancels calls at once.
func TestServeWithoutGrace(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := begin(t, fixtureServer(t, nil), streamhttp.Grace(0))
		answered := make(chan string, 1)
		go func() { answered <- bodyOf(t, server.call(t.Context(), "sleep", `{"ms":60000}`)) }()
		synctest.Wait()
		began := time.Now()
		server.stop()
		if err := <-server.served; !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 0 {
			t.Errorf("got %v after %v", err, time.Since(began))
		}
		if answer := <-answered; strings.Contains(answer, "slept") {
			t.Errorf("response: %s", answer)
		}
	})
}

// task calls a tool that takes ms milliseconds and runs as a task, and returns the task's id.
func (r *running) task(tool string, ms int) string {
	r.t.Helper()
	arguments, _ := json.Marshal(map[string]int{"ms": ms})
	response := r.do(r.t.Context(), http.MethodPost, withTasks("1", "tools/call", `,"name":"`+tool+`","arguments":`+string(arguments)), heading("tools/call", tool))
	var m struct{ Result struct{ TaskID string } }
	if err := json.Unmarshal([]byte(bodyOf(r.t, response)), &m); err != nil || m.Result.TaskID == "" {
		r.t.Errorf("no task: %v", err)
	}
	return m.Result.TaskID
}

// TestServeTasks checks that Serve waits for running tasks and stores their results, including a task that a call
// becomes during the shutdown.
func TestServeTasks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, map[string]string{"tasks": "yes"})
		server := begin(t, srv)
		ids := make(chan string, 2)
		ids <- server.task("must", 1000)
		go func() { ids <- server.task("may", 2000) }()
		synctest.Wait()
		began := time.Now()
		server.stop()
		if err := <-server.served; err != nil || time.Since(began).Round(100*time.Millisecond) != 3500*time.Millisecond {
			t.Errorf("got %v after %v, want nil after 3.5 s: 2 s for the tasks, and half of the rest for clients that poll", err, time.Since(began))
		}
		later := serve(t, srv)
		for range cap(ids) {
			id := <-ids
			body := bodyOf(t, later.do(t.Context(), http.MethodPost, withTasks("2", "tasks/get", `,"taskId":"`+id+`"`), heading("tasks/get", id)))
			if !strings.Contains(body, `"status":"completed"`) {
				t.Errorf("after the shutdown: %s", body)
			}
		}
	})
}

// TestServeTaskResults checks that clients can get the results of tasks that end during a shutdown, as the default
// store is lost. Serve returns once they were read. Other requests are refused.
func TestServeTaskResults(t *testing.T) {
	t.Parallel()
	ask := func(r *running, method, id string) string {
		return bodyOf(r.t, r.do(r.t.Context(), http.MethodPost, withTasks("2", method, `,"taskId":"`+id+`"`), heading(method, id)))
	}
	tests := []struct {
		name string
		run  func(t *testing.T, server *running, client legacyClient, id string) // called when the shutdown begins
		took time.Duration
	}{
		{"tasks/get", func(t *testing.T, server *running, _ legacyClient, id string) {
			t.Helper()
			if got := ask(server, "tasks/get", id); !strings.Contains(got, `"status":"working"`) {
				t.Errorf("got %s, want a working task", got)
			}
			time.Sleep(1500 * time.Millisecond)
			if got := ask(server, "tasks/get", id); !strings.Contains(got, `"status":"completed"`) || !strings.Contains(got, "done by must") {
				t.Errorf("got %s, want the result", got)
			}
		}, 1500 * time.Millisecond},
		{"tasks/cancel", func(t *testing.T, server *running, _ legacyClient, id string) {
			t.Helper()
			if got := ask(server, "tasks/cancel", id); !strings.Contains(got, `"result"`) {
				t.Errorf("got %s, want a result", got)
			}
		}, 0},
		{"tasks/get of 2025-11-25", func(t *testing.T, _ *running, client legacyClient, id string) {
			t.Helper()
			time.Sleep(1500 * time.Millisecond)
			if got := bodyOf(t, client.send(t.Context(), request("3", "tasks/get", `"taskId":"`+id+`"`))); !strings.Contains(got, `"status":"completed"`) {
				t.Errorf("got %s, want a completed task", got)
			}
			if got := bodyOf(t, client.send(t.Context(), request("4", "tasks/result", `"taskId":"`+id+`"`))); !strings.Contains(got, "done by must") {
				t.Errorf("got %s, want the result", got)
			}
		}, 1500 * time.Millisecond},
		{"waiting tasks/result", func(t *testing.T, _ *running, client legacyClient, id string) {
			t.Helper()
			if got := bodyOf(t, client.send(t.Context(), request("3", "tasks/result", `"taskId":"`+id+`"`))); !strings.Contains(got, "done by must") {
				t.Errorf("got %s, want the result", got)
			}
		}, time.Second},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				server := begin(t, fixtureServer(t, map[string]string{"tasks": "yes"}))
				client := server.begin("2025-11-25")
				var id string
				if strings.Contains(test.name, "2025-11-25") || strings.Contains(test.name, "result") {
					created := bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"must","task":{},"arguments":{"ms":1000}`)))
					_, id, _ = strings.Cut(created, `"taskId":"`)
					id, _, _ = strings.Cut(id, `"`)
				} else {
					id = server.task("must", 1000)
				}
				began := time.Now()
				server.stop()
				synctest.Wait()
				if response := server.call(t.Context(), "sleep", `{"ms":1}`); response.status != http.StatusServiceUnavailable || !response.closes {
					t.Errorf("call: status %d, want 503 and Connection: close", response.status)
				}
				if !client.isCutOff(t.Context()) {
					t.Error("stream: got a response, want a closed connection")
				}
				test.run(t, server, client, id)
				if err := <-server.served; err != nil || time.Since(began).Round(500*time.Millisecond) != test.took {
					t.Errorf("got %v after %v, want nil after %v", err, time.Since(began), test.took)
				}
			})
		})
	}
}

// TestServeTasksOfTwoListeners checks that two calls of Serve with one server, stopped together, both return once the
// results of the tasks were read.
func TestServeTasksOfTwoListeners(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := fixtureServer(t, map[string]string{"tasks": "yes"})
		servers := []*running{begin(t, srv), begin(t, srv)}
		id := servers[0].task("must", 1000)
		began := time.Now()
		for _, server := range servers {
			server.stop()
		}
		time.Sleep(1500 * time.Millisecond)
		got := bodyOf(t, servers[0].do(t.Context(), http.MethodPost, withTasks("2", "tasks/get", `,"taskId":"`+id+`"`), heading("tasks/get", id)))
		if !strings.Contains(got, "done by must") {
			t.Errorf("got %s, want the result", got)
		}
		for i, server := range servers {
			if err := <-server.served; err != nil || time.Since(began).Round(100*time.Millisecond) != 1500*time.Millisecond {
				t.Errorf("Serve on listener %d: got %v after %v, want nil after 1.5 s", i, err, time.Since(began))
			}
		}
	})
}

// TestServeTaskResultResumed checks that a client that polls for tasks/result gets the result during a shutdown, and
// that its streams are not ended early again.
func TestServeTaskResultResumed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := begin(t, fixtureServer(t, map[string]string{"tasks": "yes"}), streamhttp.Poll(time.Second, time.Second))
		client := server.begin("2025-11-25")
		created := bodyOf(t, client.send(t.Context(), request("1", "tools/call", `"name":"must","task":{},"arguments":{"ms":4000}`)))
		_, id, _ := strings.Cut(created, `"taskId":"`)
		id, _, _ = strings.Cut(id, `"`)
		ended := eventsOf(client.send(t.Context(), request("3", "tasks/result", `"taskId":"`+id+`"`)))
		last := ""
		for e, err := ended.next(); err == nil; e, err = ended.next() {
			last = e.id
		}
		server.stop() // the stream has ended within the last second
		synctest.Wait()
		resumed := client.listen(t.Context(), last)
		if text := bodyOf(t, resumed); resumed.status != http.StatusOK || !strings.Contains(text, "done by must") {
			t.Errorf("got status %d and %q, want the result", resumed.status, text)
		}
		if err := <-server.served; err != nil {
			t.Error(err)
		}
	})
}

// TestServeUnderLoad stops the server while clients call it over TCP: each call that ran is answered, and each refused
// call did not run.
func TestServeUnderLoad(t *testing.T) {
	t.Parallel()
	const clients, before = 16, 200
	var ran, answered, refused atomic.Int64
	srv := &runtime.Server{Tools: &mcptool.Registry{}}
	ctx, stop := context.WithCancel(t.Context())
	addTool(t, srv, "count", func(context.Context) string {
		if ran.Add(1) == before {
			stop()
		}
		return "counted"
	})
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() { served <- streamhttp.Serve(ctx, l, srv, streamhttp.Grace(time.Minute)) }()
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for {
				r := (&memory{t: t, path: "/mcp"}).request(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"count"`), heading("tools/call", "count"))
				r.URL.Host = l.Addr().String()
				response, err := client.Do(r)
				if err != nil {
					return // the listener or the idle connection is closed
				}
				body, err := io.ReadAll(response.Body)
				_ = response.Body.Close()
				switch {
				case err == nil && response.StatusCode == http.StatusOK && strings.Contains(string(body), "counted"):
					answered.Add(1)
				case err == nil && response.StatusCode == http.StatusServiceUnavailable:
					refused.Add(1)
				default:
					t.Errorf("status %s, body %s, error %v", response.Status, body, err)
				}
			}
		})
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
	all.Wait()
	if ran.Load() != answered.Load() || ran.Load() < before {
		t.Errorf("%d calls ran, %d were answered, %d refused", ran.Load(), answered.Load(), refused.Load())
	}
}
