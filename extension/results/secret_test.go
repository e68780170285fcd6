package results_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/extension/results"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
	"github.com/mcptool-go/mcptool/streamhttp"
	"github.com/mcptool-go/mcptool/task"
)

// TestRedact: texts are redacted before they are cut and kept. Otherwise a part of a secret, or a secret with the escapes of
// JSON, would be sent, and a search would find it.
func TestRedact(t *testing.T) {
	t.Parallel()
	const secret = `p_"s\w_d`
	secrets := strings.Repeat(secret, 2000)
	text := func(of string) mcptool.Content { return mcptool.Text{Text: of} }
	for name, tool := range map[string]*mcptool.Tool{
		"string": newTool(t, "lines", func(struct{}) string { return secrets }),
		"text":   newTool(t, "lines", func(struct{}) mcptool.Content { return text(secrets) }),
		"resource": newTool(t, "lines", func(struct{}) mcptool.Content {
			return mcptool.EmbeddedResource{Resource: mcptool.ResourceContents{URI: "a://b", Text: secrets}}
		}),
		"error": newTool(t, "lines", func(struct{}) *mcptool.Result {
			return &mcptool.Result{IsError: true, Content: []mcptool.Content{text(secrets), text("")}}
		}),
		"verbatim": newTool(t, "lines", func(struct{}) mcptool.Content { return mcptool.Text{Text: secrets, Verbatim: true} }),
		"divided":  newTool(t, "lines", func(struct{}) mcptool.Content { return text(strings.ReplaceAll(secrets, "s", "\x1b[1ms")) }),
	} {
		for _, revision := range revisions {
			srv := newServer(t, results.Options{}, tool)
			srv = &runtime.Server{Tools: srv.Tools, Extensions: srv.Extensions, Redact: func(text string) string { return strings.ReplaceAll(text, secret, "[secret]") }}
			c := connect(t, srv, revision)
			res := c.call("lines", `{}`)
			handle := res.report(t).Handle
			answers := []string{
				res.raw, c.ask(handle, ""), c.ask(handle, `"search":"p_"`), c.ask(handle, `"path":"content","search":"p_"`),
				c.request("resources/read", `"uri":"results://`+handle+`"`),
			}
			for i, answer := range answers {
				if strings.Contains(answer, "p_") || strings.Contains(answer, "_d") {
					t.Errorf("%s, %s, answer %d has a secret: %.300s", name, revision, i, answer)
				}
			}
			if !strings.Contains(answers[4], "[secret][secret]") {
				t.Errorf("%s, %s: %.300s", name, revision, answers[4])
			}
		}
	}
}

// TestNotRedacted: texts without secrets are kept unchanged, with terminal sequences if they are verbatim.
func TestNotRedacted(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("\x1b[1mbold\x1b[0m\n", 2000)
	tool := newTool(t, "lines", func(struct{}) *mcptool.Result {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "\x1b[1m", Verbatim: true}, mcptool.Text{Text: long}}}
	})
	srv := newServer(t, results.Options{}, tool)
	srv = &runtime.Server{Tools: srv.Tools, Extensions: srv.Extensions, Redact: func(text string) string { return text }}
	c := connect(t, srv, newest)
	res := c.call("lines", `{}`)
	if got := c.readAll(res.report(t).Handle, "content.1"); res.Content[1].Text != "\x1b[1m" || got != long {
		t.Errorf("%.300s, read %.100q", res.raw, got)
	}
}

// brokenStore is a store that stores or deletes nothing.
type brokenStore struct {
	*task.Memory
	stores bool
}

var errStore = errors.New("dial tcp 10.1.2.3:4222: refused")

func (s brokenStore) Create(ctx context.Context, r task.Record) error {
	if !s.stores {
		return errStore
	}
	return s.Memory.Create(ctx, r)
}

func (brokenStore) Delete(context.Context, string) error { return errStore }

// TestBrokenStore: the error of a store is not sent, and Forget returns it.
func TestBrokenStore(t *testing.T) {
	t.Parallel()
	c := connect(t, newServer(t, results.Options{Store: brokenStore{task.NewMemory(task.MemoryLimits{}), false}}, linesOf(t)), newest)
	if res := c.call("lines", `{}`); !strings.Contains(res.Content[0].Text, " The rest was not kept: the store failed. To see it, ") || strings.Contains(res.raw, "10.1.2.3") {
		t.Errorf("%.500s", res.raw)
	}
	forget, err := mcptool.New(func(ctx context.Context, in struct{ Handle string }) (string, error) {
		return fmt.Sprint(results.Forget(ctx, in.Handle) == errStore), nil //nolint:errorlint // exactly this one
	}, mcptool.Name("forget"))
	if err != nil {
		t.Fatal(err)
	}
	c = connect(t, newServer(t, results.Options{Store: brokenStore{task.NewMemory(task.MemoryLimits{}), true}}, linesOf(t), forget), newest)
	handle := c.call("lines", `{}`).report(t).Handle
	if res := c.call("forget", `{"Handle":"`+handle+`"}`); res.Content[0].Text != "true" {
		t.Errorf("Forget: %s", res.raw)
	}
}

// TestHugeText: a text that the server refuses is not copied.
func TestHugeText(t *testing.T) { //nolint:paralleltest // it measures the memory of the process
	huge := strings.Repeat("a line of text\n", 10<<20)
	c := connect(t, newServer(t, results.Options{}, newTool(t, "lines", func(struct{}) mcptool.Content { return mcptool.Text{Text: huge} })), newest)
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	res := c.call("lines", `{}`)
	goruntime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 50<<20 || !res.IsError && res.Code == 0 {
		t.Errorf("%d MiB: %.300s", got>>20, res.raw)
	}
}

// TestEmptyText: empty texts are not cut.
func TestEmptyText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line\n", 5000)
	result := func(texts ...string) func(struct{}) *mcptool.Result {
		return func(struct{}) *mcptool.Result {
			var res mcptool.Result
			for _, text := range texts {
				res.Content = append(res.Content, mcptool.Text{Text: text})
			}
			return &res
		}
	}
	c := connect(t, newServer(t, results.Options{}, newTool(t, "small", result("", " \n")), newTool(t, "large", result("", long, " \n"))), newest)
	if res := c.call("small", `{}`); len(res.Content) != 2 || res.Content[0].Text != "" || res.Content[1].Text != " \n" {
		t.Errorf("%s", res.raw)
	}
	if res := c.call("large", `{}`); len(res.Content) != 4 || res.Content[1].Text != "" || res.Content[3].Text != " \n" || res.report(t).Handle == "" {
		t.Errorf("%.500s", res.raw)
	}
}

// TestScopeLost: a caller that may no longer call a tool cannot read its results. The answer is the same as for a handle that
// never existed.
func TestScopeLost(t *testing.T) {
	t.Parallel()
	srv := newServer(t, results.Options{}, linesOf(t, mcptool.Scopes("lines:read")))
	tool, _ := srv.Tools.Lookup("lines")
	reader, _ := srv.Tools.Lookup("read_result")
	endpoint := mcptooltest.HTTP(t, srv, streamhttp.StaticTokens(map[string]streamhttp.Token{
		"with": {Principal: "ana", Scopes: []string{"lines:read"}}, "without": {Principal: "ana"},
	}))
	client := func(token string) *mcptooltest.Client {
		return &mcptooltest.Client{URL: endpoint.URL, Header: http.Header{"Authorization": {"Bearer " + token}}}
	}
	res, err := client("with").Call(t.Context(), tool, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(fmt.Sprint(res), `\"handle\":\"`)
	handle, _, _ := strings.Cut(rest, `\"`)
	answer := func(token, handle string) string {
		res, err := client(token).Call(t.Context(), reader, []byte(`{"handle":"`+handle+`","limit":1}`))
		if err != nil {
			t.Fatal(err)
		}
		contents, err := client(token).Read(t.Context(), resourceOf(t, srv), "results://"+handle)
		return strings.ReplaceAll(fmt.Sprintf("%v %.99v %v", res, contents, err), handle, "")
	}
	if got := answer("with", handle); !strings.Contains(got, "a line of text") || !strings.Contains(got, "text/plain") {
		t.Errorf("with the scope: %.300s", got)
	}
	if got, unknown := answer("without", handle), answer("without", "lines-"+strings.Repeat("a", 26)); got != unknown {
		t.Errorf("without the scope:\n%s\nand for an unknown handle\n%s", got, unknown)
	}
}

// lockedBuffer is a buffer that is safe for concurrent use.
type lockedBuffer struct {
	mu   sync.Mutex
	text []byte
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text = append(b.text, p...)
	return len(p), nil
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.text)
}

// logged is an observer that logs everything that it gets.
type logged struct{ *slog.Logger }

func (logged) Begin(ctx context.Context, _ *observe.Operation) context.Context { return ctx }

func (l logged) End(_ context.Context, op *observe.Operation, result observe.Result) {
	l.Info("observed", "operation", fmt.Sprintf("%+v", *op), "result", fmt.Sprintf("%+v", result))
}

// TestHandleIsNotLogged: a handle, which is a secret for callers without authentication, is not in logs, nor in what observers
// get.
func TestHandleIsNotLogged(t *testing.T) {
	t.Parallel()
	var log lockedBuffer
	logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	srv := newServer(t, results.Options{}, linesOf(t))
	srv = &runtime.Server{Tools: srv.Tools, Extensions: srv.Extensions, Logger: logger, Observer: observe.All(audit.New(logger), logged{logger})}
	for _, revision := range revisions {
		c := connect(t, srv, revision)
		handle := c.call("lines", `{}`).report(t).Handle
		random := handle[len("lines-"):]
		for _, args := range []string{`"limit":1`, `"limit":0`, `"path":"x"`, `"search":"(","regexp":true`, `"nothing":1`} {
			c.ask(handle, args)
		}
		for _, uri := range []string{"results://" + handle, "results://x" + handle, "results://" + handle + "/x", "x://" + handle} {
			c.request("resources/read", `"uri":"`+uri+`"`)
			c.request("resources/subscribe", `"uri":"`+uri+`"`)
		}
		c.request("completion/complete", `"ref":{"type":"ref/resource","uri":"results://{handle}"},"argument":{"name":"handle","value":"`+handle+`"}`)
		if at := strings.Index(log.String(), random); at >= 0 {
			t.Errorf("%s: the log has a handle: %s", revision, log.String()[max(0, at-500):at+100])
		}
	}
	if got := log.String(); strings.Count(got, "observed") < 70 || strings.Count(got, "read_result") < 30 {
		t.Errorf("the log is incomplete: %.1000s", got)
	}
}
