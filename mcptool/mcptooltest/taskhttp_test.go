package mcptooltest_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// printer has a tool that runs until it is released, and then asks the user.
type printer struct {
	support mcptool.TaskSupport
	release chan struct{}
	begun   chan struct{} // gets a value when the tool starts; the tool of a task that was cancelled before never starts
	ended   chan struct{} // closed when the context of a call has ended
}

type printIn struct {
	_     struct{} `mcp:"name=print,scopes=print"`
	Pages int      `json:"pages"`
}

type printOut struct {
	By    string `json:"by"`
	Pages int    `json:"pages"`
}

func (p *printer) print(ctx context.Context, in printIn) (printOut, error) {
	mcptool.Progress(ctx, 1, 2, "warming up")
	select {
	case p.begun <- struct{}{}:
	default:
	}
	select {
	case <-p.release:
	case <-ctx.Done():
		close(p.ended)
		return printOut{}, ctx.Err()
	}
	if err := mcptool.Confirm(ctx, "Print it?"); err != nil {
		return printOut{}, err
	}
	return printOut{mcptool.Caller(ctx).Principal, in.Pages}, nil
}

// overHTTP serves the tool, whose calls become tasks after the delay, and returns the tool and a client of ann.
func (p *printer) overHTTP(t *testing.T, delay time.Duration, opts ...mcptool.ToolOption) (*mcptool.Tool, *mcptooltest.Client) {
	t.Helper()
	tool, err := mcptool.New(p.print, append(opts, mcptool.Task(p.support))...)
	if err != nil {
		t.Fatal(err)
	}
	registry := &mcptool.Registry{}
	if err := registry.Add(tool); err != nil {
		t.Fatal(err)
	}
	server := &runtime.Server{Tools: registry, Tasks: tasks.New(nil), Limits: runtime.Limits{Tasks: runtime.TaskLimits{Delay: delay}}}
	client := mcptooltest.HTTP(t, server, streamhttp.StaticTokens(map[string]streamhttp.Token{
		"s3cret-1": {Principal: "ann", Scopes: []string{"print"}}, "s3cret-2": {Principal: "bob", Scopes: []string{"print"}}, "s3cret-3": {Principal: "eve"},
	}))
	client.Header.Set("Authorization", "Bearer s3cret-1")
	return tool, client
}

func newPrinter() *printer {
	return &printer{support: mcptool.TaskSupportOptional, release: make(chan struct{}), begun: make(chan struct{}, 1), ended: make(chan struct{})}
}

// receive receives from c, and fails the test after 10 s.
func receive(t *testing.T, c <-chan struct{}, event string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: not within 10 s", event)
	}
}

// TestTaskHTTP checks the state of a task over HTTP, the answers to its questions, and its result.
func TestTaskHTTP(t *testing.T) {
	t.Parallel()
	p := newPrinter()
	tool, client := p.overHTTP(t, time.Millisecond, mcptool.PollInterval(20*time.Millisecond))
	client.Answers = []any{true}
	task := mcptooltest.StartTask(t, client, tool, printIn{Pages: 2})
	got := task.Status(t.Context())
	for got.Message == "" && got.Status == "working" { // the call may become a task before the tool runs
		time.Sleep(time.Millisecond)
		got = task.Status(t.Context())
	}
	if want := (mcptooltest.TaskStatus{Status: "working", Message: "warming up"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	ann := client.Header
	client.Header = http.Header{"Authorization": {"Bearer s3cret-2"}}
	if got := task.Status(t.Context()); got != (mcptooltest.TaskStatus{}) {
		t.Errorf("the task is visible to another caller: %+v", got)
	}
	client.Header = ann

	close(p.release)
	for status := ""; status != "input_required"; time.Sleep(time.Millisecond) {
		status = task.Status(t.Context()).Status
	}
	if len(client.Asked()) != 0 {
		t.Errorf("asked before Wait: %v", client.Asked())
	}
	var waiting sync.WaitGroup
	for range 2 { // the question is answered only once
		waiting.Go(func() {
			result, err := task.Wait(t.Context())
			if err != nil || string(result.Structured.(json.RawMessage)) != `{"by":"ann","pages":2}` {
				t.Errorf("got %+v, %v", result, err)
			}
		})
	}
	waiting.Wait()
	if out := mcptooltest.AwaitTask[printOut](t, task); out != (printOut{"ann", 2}) {
		t.Errorf("got %+v", out)
	}
	task.Cancel(t.Context())
	if got, want := task.Status(t.Context()), (mcptooltest.TaskStatus{Status: "completed"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if asked := client.Asked(); len(asked) != 1 || asked[0].Message != "Print it?" {
		t.Errorf("asked: %+v", asked)
	}
}

// TestTaskHTTPEnds checks how tasks end without the result of the tool.
func TestTaskHTTPEnds(t *testing.T) {
	t.Parallel()
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		p := newPrinter()
		tool, client := p.overHTTP(t, time.Millisecond)
		task := mcptooltest.StartTask(t, client, tool, printIn{})
		receive(t, p.begun, "the tool starts")
		task.Cancel(t.Context())
		receive(t, p.ended, "the context of the call ends")
		if got, want := task.Status(t.Context()), (mcptooltest.TaskStatus{Status: "cancelled", Message: "cancelled by the client"}); got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if result, err := task.Wait(t.Context()); err == nil || err.Error() != "the task is cancelled: cancelled by the client" {
			t.Errorf("got %v, %v", result, err)
		}
	})
	t.Run("the test has ended", func(t *testing.T) {
		t.Parallel()
		p := newPrinter()
		tool, client := p.overHTTP(t, time.Millisecond)
		t.Run("running", func(t *testing.T) { //nolint:paralleltest // the parent waits for its end
			mcptooltest.StartTask(t, client, tool, printIn{})
			receive(t, p.begun, "the tool starts")
		})
		receive(t, p.ended, "the context of the call ends")
	})
	t.Run("the context has ended", func(t *testing.T) {
		t.Parallel()
		tool, client := newPrinter().overHTTP(t, time.Millisecond)
		task := mcptooltest.StartTask(t, client, tool, printIn{})
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if result, err := task.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, %v", result, err)
		}
	})
	for name, test := range map[string]struct {
		answers []any
		want    string // the result or the error
	}{
		"declined":  {[]any{mcptooltest.RefusalDecline}, "the user declined: Print it?"},
		"no answer": {nil, "no answer to request 1, elicitation/create: Print it?"},
		"error":     {[]any{errors.New("the user is away")}, "the user is away"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPrinter()
			tool, client := p.overHTTP(t, time.Millisecond)
			client.Answers = test.answers
			task := mcptooltest.StartTask(t, client, tool, printIn{})
			close(p.release)
			result, err := task.Wait(t.Context())
			got := ""
			switch {
			case err != nil:
				got = err.Error()
			case result.IsError:
				got = result.Content[0].(mcptool.Text).Text
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
	t.Run("timeout", func(t *testing.T) {
		t.Parallel()
		tool, client := newPrinter().overHTTP(t, time.Millisecond, mcptool.Timeout(50*time.Millisecond))
		tb, done := &recorder{TB: t}, make(chan struct{})
		go func() {
			defer close(done)
			mcptooltest.AwaitTask[printOut](tb, mcptooltest.StartTask(tb, client, tool, printIn{Pages: 1}))
		}()
		<-done
		if want := `print({"pages":1}): want structured output, got error=true`; !strings.HasPrefix(tb.fatal, want) || !strings.Contains(tb.fatal, "ran longer than its limit") {
			t.Errorf("the test ended with %q, want %q", tb.fatal, want)
		}
	})
}

// TestTaskHTTPAnswered checks a call that asks the user and completes without becoming a task.
func TestTaskHTTPAnswered(t *testing.T) {
	t.Parallel()
	p := newPrinter()
	close(p.release)
	tool, client := p.overHTTP(t, time.Minute)
	client.Answers = []any{true}
	task := mcptooltest.StartTask(t, client, tool, printIn{Pages: 3})
	if got, want := task.Status(t.Context()), (mcptooltest.TaskStatus{Status: "completed"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	task.Cancel(t.Context())
	if out := mcptooltest.AwaitTask[printOut](t, task); out != (printOut{"ann", 3}) {
		t.Errorf("got %+v", out)
	}
}

// TestTaskHTTPRequired checks a tool whose calls are always tasks, for clients that declare another extension, have no
// answers, or lack the scope.
func TestTaskHTTPRequired(t *testing.T) {
	t.Parallel()
	for _, capabilities := range []string{`{"elicitation":{"form":{}},"extensions":{"com.example/x":{}}}`, `{"elicitation":{"form":{}},"extensions":{"io.modelcontextprotocol/tasks":{}}}`} {
		p := newPrinter()
		p.support = mcptool.TaskSupportRequired
		close(p.release)
		tool, client := p.overHTTP(t, time.Minute)
		client.Answers, client.Capabilities = []any{true}, json.RawMessage(capabilities)
		if out := mcptooltest.AwaitTask[printOut](t, mcptooltest.StartTask(t, client, tool, printIn{Pages: 1})); out != (printOut{"ann", 1}) {
			t.Errorf("%s: got %+v", capabilities, out)
		}
	}
	tool, client := newPrinter().overHTTP(t, time.Minute)
	client.Header.Set("Authorization", "Bearer s3cret-3")
	tb, done := &recorder{TB: t}, make(chan struct{})
	go func() {
		defer close(done)
		mcptooltest.StartTask(tb, client, tool, printIn{Pages: 1})
	}()
	<-done
	if want := `print({"pages":1}): hidden from the caller: the tool "print" needs an access token with print`; tb.fatal != want {
		t.Errorf("without the scope the test ended with %q, want %q", tb.fatal, want)
	}
}
