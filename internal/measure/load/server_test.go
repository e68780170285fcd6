package load_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/load"
	"github.com/mcptool-go/mcptool/mcptool"
	mcpruntime "github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// childKey is the environment variable that makes this binary run as a server.
const childKey = "BENCH_LOAD_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childKey) != "" {
		if err := stdio.Serve(context.Background(), &mcpruntime.Server{Name: "child", Tools: tools(), Tasks: tasks.New(nil), Logger: slog.New(slog.DiscardHandler)}); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

type doubleIn struct {
	N    int    `json:"n"`
	More string `json:"more,omitempty"`
}

type doubleOut struct {
	N int `json:"n"`
}

// tools returns a tool that fails for odd numbers and one that exits the server.
func tools() *mcptool.Registry {
	registry := &mcptool.Registry{}
	double, err := mcptool.New(func(_ context.Context, in doubleIn) (doubleOut, error) {
		if in.N%2 != 0 {
			return doubleOut{}, mcptool.Errorf("%d is odd", in.N)
		}
		return doubleOut{2 * in.N}, nil
	}, mcptool.Name("double"), mcptool.Description("Doubles"))
	leave, err2 := mcptool.New(func(context.Context, doubleIn) (doubleOut, error) {
		_, _ = os.Stderr.WriteString("fatal error: it leaves\n")
		os.Exit(7)
		return doubleOut{}, nil
	}, mcptool.Name("leave"), mcptool.Description("Leaves"))
	work, err3 := mcptool.New(func(_ context.Context, in doubleIn) (doubleOut, error) {
		if in.N%2 != 0 {
			return doubleOut{}, mcptool.Errorf("%d is odd", in.N)
		}
		return doubleOut{2 * in.N}, nil
	}, mcptool.Name("work"), mcptool.Description("Doubles, as a task"), mcptool.Task(mcptool.TaskSupportRequired), mcptool.PollInterval(time.Millisecond))
	if err := errors.Join(err, err2, err3, registry.Add(double, leave, work)); err != nil {
		panic(err)
	}
	return registry
}

// dial connects to this binary as a server process, or over HTTP to a server in this process.
func dial(t *testing.T, overHTTP bool, era client.Era) load.Server {
	t.Helper()
	target := client.Target{Command: []string{os.Args[0]}, Env: []string{childKey + "=1"}}
	if overHTTP {
		handler, err := streamhttp.NewHandler(&mcpruntime.Server{Name: "child", Tools: tools(), Tasks: tasks.New(nil), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(handler)
		t.Cleanup(srv.Close)
		target = client.Target{URL: srv.URL}
	}
	return dialTo(t, target, era)
}

func dialTo(t *testing.T, target client.Target, era client.Era) load.Server {
	t.Helper()
	c, err := client.Dial(t.Context(), target, client.Options{Era: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return load.Server{Name: string(era), Where: target.String(), Client: c}
}

func work(tool string, arguments ...string) load.Work {
	w := load.Work{Tool: tool}
	for _, a := range arguments {
		w.Arguments = append(w.Arguments, json.RawMessage(a))
	}
	return w
}

// TestRun compares servers of both eras, over both transports, in all loops.
func TestRun(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		overHTTP bool
		plan     load.Plan
	}{
		{"stdio, closed", false, load.Plan{Steps: []int{1, 16}}},
		{"stdio, open", false, load.Plan{Steps: []int{0}, Rate: 5000}},
		{"HTTP, closed", true, load.Plan{Steps: []int{1, 16}}},
		{"HTTP, open", true, load.Plan{Steps: []int{0}, Rate: 5000}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := test.plan
			p.Servers = []load.Server{dial(t, test.overHTTP, client.Legacy), dial(t, test.overHTTP, client.Modern)}
			// Three of four calls succeed; one request exceeds the capacity of a pipe.
			p.Work = []load.Work{work("double", `{"n":2}`, `{"n":3}`, `{"n":4,"more":"`+strings.Repeat("x", 100_000)+`"}`, `{"n":6}`)}
			p.Calls, p.Rounds = 80, 2
			told := 0
			p.Progress = func(string) { told++ }
			r := load.Run(t.Context(), p)
			steps := len(p.Steps)
			if len(r.Rows) != steps || len(r.Lost) > 0 || told != steps*2*2 {
				t.Fatalf("%d rows, %d times told, lost: %v", len(r.Rows), told, r.Lost)
			}
			for _, row := range r.Rows {
				for _, c := range row.Cells {
					if c.OK != 60 || c.Failed != 20 || c.Failures[load.ToolError] != 20 || c.Rounds != 2 {
						t.Errorf("%d in flight, %s: %d succeeded, %v failed in %d rounds: %v", row.InFlight, c.Server, c.OK, c.Failures, c.Rounds, c.First)
					}
					if !strings.Contains(c.First[load.ToolError], "3 is odd") || c.Figures["max"].Median <= 0 {
						t.Errorf("%s: %q, %v", c.Server, c.First[load.ToolError], c.Figures)
					}
					if test.overHTTP && (c.Figures["cpuPerCall"].Median != 0 || c.Figures["resident"].Median != 0) {
						t.Errorf("%s: what cannot be known is said to be %v", c.Server, c.Figures)
					}
				}
			}
			if got := []string{r.Servers[0].Revision, r.Servers[1].Revision}; got[0] >= "2026" || got[1] < "2026" {
				t.Errorf("the revisions are %q", got)
			}
		})
	}
}

// TestRunLoses has a server exit during a call: the others go on.
func TestRunLoses(t *testing.T) {
	t.Parallel()
	plan := load.Plan{Servers: []load.Server{dial(t, false, client.Legacy), dial(t, false, client.Modern)}, Steps: []int{1}, Calls: 10, Rounds: 1}
	plan.Servers[0].Name, plan.Servers[1].Name = "first", "second"
	// The first server has exited by the time of the second tool.
	_ = load.Run(t.Context(), load.Plan{Servers: plan.Servers[:1], Work: []load.Work{work("leave", `{"n":1}`)}, Steps: []int{1}, Calls: 1})
	plan.Work = []load.Work{work("double", `{"n":2}`), work("double", `{"n":4}`)}
	r := load.Run(t.Context(), plan)
	if len(r.Lost) != 1 || r.Lost[0].Server != "first" || r.Lost[0].Reason == "" || !slices.Equal(r.Lost[0].Stderr, []string{"fatal error: it leaves"}) {
		t.Errorf("lost: %v", r.Lost)
	}
	if len(r.Rows) != 2 || r.Rows[1].Cells[0].Rounds != 0 || r.Rows[1].Cells[1].OK != 10 {
		t.Errorf("got %+v", r.Rows)
	}
}

// TestRunShutdown has a server refuse calls because it shuts down: it is lost after some of them.
func TestRunShutdown(t *testing.T) {
	t.Parallel()
	for _, era := range []client.Era{client.Legacy, client.Modern} {
		h, err := streamhttp.NewHandler(&mcpruntime.Server{Name: "child", Tools: tools(), Tasks: tasks.New(nil), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(h)
		t.Cleanup(srv.Close)
		s := dialTo(t, client.Target{URL: srv.URL}, era)
		_, err = s.Client.Tools(t.Context()) // the load needs their schemas
		if err := errors.Join(err, h.Shutdown(t.Context())); err != nil {
			t.Fatal(err)
		}
		r := load.Run(t.Context(), load.Plan{Servers: []load.Server{s}, Work: []load.Work{work("double", `{"n":2}`)}, Steps: []int{4}, Calls: 1000})
		if len(r.Lost) != 1 || !strings.Contains(r.Lost[0].Reason, "the server is shutting down") {
			t.Errorf("%s: lost: %v", era, r.Lost)
		}
		if failed := r.Rows[0].Cells[0].Failed; failed > 30 {
			t.Errorf("%s: %d calls failed", era, failed)
		}
	}
}

// TestRunInterrupted checks that a run interrupted early reports nothing but the interruption.
func TestRunInterrupted(t *testing.T) {
	t.Parallel()
	s := dial(t, false, client.Modern)
	ctx, cancel := context.WithCancel(t.Context())
	plan := load.Plan{Servers: []load.Server{s}, Work: []load.Work{work("double", `{"n":2}`), work("double", `{"n":4}`)}, Steps: []int{1}, Calls: 10}
	plan.Progress = func(string) {
		if plan.Progress = nil; s.Name != "" {
			s.Name = ""
			return
		}
		cancel() // before the second row
	}
	r := load.Run(ctx, plan)
	cancel()
	if !r.Interrupted || len(r.Rows) != 1 || r.Rows[0].Cells[0].OK != 10 {
		t.Errorf("interrupted: %t, rows: %+v", r.Interrupted, r.Rows)
	}
}

// A call of a task-only tool lasts until the result of its task, and that result counts.
func TestRunTasks(t *testing.T) {
	t.Parallel()
	server := dial(t, false, client.Legacy)
	for _, test := range []struct {
		arguments  string
		ok, failed int64
	}{{`{"n":4}`, 6, 0}, {`{"n":3}`, 0, 6}} {
		report := load.Run(t.Context(), load.Plan{
			Servers: []load.Server{server}, Work: []load.Work{{Tool: "work", Arguments: []json.RawMessage{json.RawMessage(test.arguments)}}}, Steps: []int{2}, Calls: 6,
		})
		if len(report.Rows) != 1 || report.Rows[0].Cells[0].OK != test.ok || report.Rows[0].Cells[0].Failures[load.ToolError] != test.failed {
			t.Errorf("%s: %+v", test.arguments, report.Rows)
		}
	}
}
