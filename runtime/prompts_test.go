package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

type noArguments struct{}

// addPrompt adds a prompt to the registry of a server.
func addPrompt[In, Out any](tb testing.TB, srv *runtime.Server, name string, fn func(context.Context, In) (Out, error), opts ...mcptool.PromptOption) {
	tb.Helper()
	p, err := mcptool.NewPrompt(fn, append(opts, mcptool.Name(name))...)
	if err == nil {
		err = srv.Tools.Add(p)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// optionsOf returns options as options of one kind of items.
func optionsOf[O, Opt any](opts []Opt) []O {
	list := make([]O, len(opts))
	for i, opt := range opts {
		list[i] = any(opt).(O)
	}
	return list
}

// confirms asks for confirmation.
func confirms(ctx context.Context, _ noArguments) (string, error) {
	return "agreed", mcptool.Confirm(ctx, "Sure?")
}

// itemCalls are a request for a prompt and one for a resource with the same func.
var itemCalls = []struct{ noun, method, params string }{
	{"prompt", "prompts/get", `"name":"it","arguments":{"id":"a"}`},
	{"resource", "resources/read", `"uri":"it://a"`},
}

// bothItems returns a server with a prompt and a template that use fn.
func bothItems(t *testing.T, fn func(context.Context, textID) (string, error), opts ...mcptool.Option) *runtime.Server {
	t.Helper()
	srv := serve(t)
	addPrompt(t, srv, "it", fn, optionsOf[mcptool.PromptOption](opts)...)
	addResource(t, srv, "it://{id}", fn, optionsOf[mcptool.ResourceOption](opts)...)
	return srv
}

// TestItemLimits: the limits of tools also apply to prompts and resources, with errors that name the kind of item.
func TestItemLimits(t *testing.T) {
	t.Parallel()
	for _, it := range itemCalls {
		t.Run(it.noun, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				begun, end := 0, make(chan struct{})
				srv := bothItems(t, func(ctx context.Context, _ textID) (string, error) {
					begun++
					select { // ignores its context
					case <-end:
					case <-time.After(time.Hour):
					}
					return "late", ctx.Err()
				}, mcptool.Timeout(time.Second), mcptool.Concurrent(1), mcptool.RateLimit(mcptool.Rate{Calls: 3, Per: time.Minute}))
				runtime.Fixed(srv).MaxWaitingCalls = 1
				log := logged(srv, slog.LevelInfo)
				srv.Observer = audit.New(srv.Logger)
				w := open(t, srv)
				w.handshake("2025-06-18")
				for _, id := range []string{"1", "2", "3", "4"} {
					w.send(legacy(id, it.method, it.params))
					synctest.Wait()
				}
				w.want(`"id":3,"error":{"code":-32603,"message":"the ` + it.noun + ` is busy: at most 1 of its calls run at once`)
				w.want(`"id":4,"error":{"code":-32603,"message":"too many requests: the ` + it.noun + ` may be requested 3 times per minute by one caller; request it again in 20s"}`)
				time.Sleep(time.Second)
				synctest.Wait()
				w.want(`"error":{"code":-32603,"message":"the `+it.noun+` `, `1`)
				w.want(`"error":{"code":-32603,"message":"the `+it.noun+` `, `2`)
				close(end)
				synctest.Wait()
				if begun != 1 {
					t.Errorf("func ran %d times, want 1", begun)
				}
				for _, outcome := range []string{"busy", "rate_limited", "timed_out"} {
					if !strings.Contains(log.String(), `"outcome":"`+outcome+`"`) {
						t.Errorf("no audit record with outcome %s: %s", outcome, log)
					}
				}
			})
		})
	}
}

// TestItemCancelled: a cancelled request for a prompt or resource is not answered.
func TestItemCancelled(t *testing.T) {
	t.Parallel()
	for _, it := range itemCalls {
		t.Run(it.noun, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var ended error
				w := open(t, bothItems(t, func(ctx context.Context, _ textID) (string, error) {
					<-ctx.Done()
					ended = context.Cause(ctx)
					return "", ctx.Err()
				}))
				w.handshake("2025-06-18")
				w.send(legacy("1", it.method, it.params))
				synctest.Wait()
				w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
				synctest.Wait()
				if w.quiet(); !errors.Is(ended, runtime.ErrCancelled) {
					t.Errorf("Cause = %v, want ErrCancelled", ended)
				}
				w.send(legacy("2", it.method, it.params))
				synctest.Wait()
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := w.session.Close(ctx); err == nil {
					t.Error("Close = nil, want an error about the cancelled request")
				}
				w.want(`"id":2,"error":{"code":-32603,"message":"the request was stopped: the server is shutting down"}`)
			})
		})
	}
}

// TestItemErrors: the error of a func is sent, as for tools, unless errors are masked. Masked errors are logged under the
// reference that the client gets.
func TestItemErrors(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret of 10.0.0.1\nsecond line")
	for _, test := range []struct {
		name   string
		err    error
		want   string // error without masking
		masked string // error with masking; "": a reference
	}{
		{"unmarked", secret, `"code":-32603,"message":"secret of 10.0.0.1 second line"`, ""},
		{"no text", errors.New(""), `"code":-32603,"message":"the NOUN failed without an error message"`, ""},
		{"public", fmt.Errorf("%w: %w", secret, mcptool.Errorf("try later")), `"code":-32603,"message":"secret of 10.0.0.1 second line: try later"`, `"code":-32603,"message":"try later"`},
		{"declined", fmt.Errorf("%w: %w", secret, mcptool.ErrDeclined), `"code":-32600,"message":"secret of 10.0.0.1 second line: the user declined`, `"code":-32600,"message":"the user declined`},
	} {
		for _, it := range itemCalls {
			for _, mask := range []bool{false, true} {
				t.Run(fmt.Sprint("RES-07 ", it.noun, " ", test.name, " ", mask), func(t *testing.T) {
					t.Parallel()
					srv := bothItems(t, func(context.Context, textID) (string, error) { return "", test.err })
					srv.MaskErrors = mask
					log := logged(srv, slog.LevelError)
					w := open(t, srv)
					w.send(modern("1", it.method, ","+it.params))
					want := test.want
					if mask {
						want = test.masked
					}
					answer := w.want(`"id":1,"error":`, strings.ReplaceAll(want, "NOUN", it.noun))
					found := reference.FindStringSubmatch(answer)
					if hidden := found != nil; hidden != (want == "") || mask && strings.Contains(answer, "secret") {
						t.Fatal(answer)
					}
					if found != nil && (!strings.Contains(log.String(), found[1]) || test.name == "unmarked" && !strings.Contains(log.String(), "secret of 10.0.0.1")) {
						t.Errorf("log lacks the error or its reference: %s", log)
					}
				})
			}
		}
	}
}

// TestItemLogs: errors hidden from the client are logged with their reference and item (RES-07), also
// panics and errors of nested calls.
func TestItemLogs(t *testing.T) {
	t.Parallel()
	for _, it := range itemCalls {
		for how, fn := range map[string]func() error{
			"panic":        func() error { panic("the secret") },
			"nested error": func() error { return &mcptool.ArgumentError{Tool: "other", Err: errors.New("the secret")} },
		} {
			t.Run("RES-07 "+it.noun+" "+how, func(t *testing.T) {
				t.Parallel()
				srv := bothItems(t, func(context.Context, textID) (string, error) { return "", fn() })
				srv.MaskErrors = true
				log := logged(srv, slog.LevelError)
				w := open(t, srv)
				w.send(modern("1", it.method, ","+it.params))
				answer := w.want(`"code":-32603,"message":"the ` + it.noun + ` failed with an internal error (reference `)
				found := reference.FindStringSubmatch(answer)
				if found == nil || strings.Contains(answer, "secret") {
					t.Fatal(answer)
				}
				for _, part := range []string{`"msg":"` + it.noun + ` failed"`, `"reference":"` + found[1] + `"`, `"` + it.noun + `":"it`} {
					if !strings.Contains(log.String(), part) {
						t.Errorf("log lacks %s: %s", part, log)
					}
				}
			})
		}
	}
}

// TestItemAudit: each request is audited with the registered name of its item, and without argument values unless AuditArguments is set.
func TestItemAudit(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, params string
		opts                 []mcptool.Option
		want                 []string
	}{
		{"prompt", "prompts/get", `"name":"it","arguments":{"id":"secret"}`, nil, []string{`"msg":"prompt rendered"`, `"prompt":"it"`, `"outcome":"ok"`, `"bytes_in":15`}},
		{"resource", "resources/read", `"uri":"it://secret"`, nil, []string{`"msg":"resource read"`, `"resource":"it://{id}"`, `"outcome":"ok"`, `"bytes_in":13`}},
		{"no such resource", "resources/read", `"uri":"no://secret"`, nil, []string{`"msg":"resource read"`, `"resource":""`, `"outcome":"refused"`}},
		{"wrong arguments", "prompts/get", `"name":"it","arguments":{"secret":"x"}`, nil, []string{`"prompt":"it"`, `"outcome":"invalid_arguments"`}},
		{"arguments", "prompts/get", `"name":"it","arguments":{"id":"a"}`, []mcptool.Option{mcptool.AuditArguments(true)}, []string{`"arguments":"{\"id\":\"a\"}"`}},
		{"URI", "resources/read", `"uri":"it://a"`, []mcptool.Option{mcptool.AuditArguments(true)}, []string{`"resource":"it://{id}"`, `"arguments":"\"it://a\""`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := bothItems(t, func(context.Context, textID) (string, error) { return "x", nil }, test.opts...)
			log := logged(srv, slog.LevelInfo)
			srv.Observer = audit.New(srv.Logger)
			w := open(t, srv)
			w.send(modern("1", test.method, ","+test.params))
			w.next()
			if err := w.session.Close(t.Context()); err != nil {
				t.Error(err)
			}
			for _, part := range test.want {
				if !strings.Contains(log.String(), part) {
					t.Errorf("log lacks %s: %s", part, log)
				}
			}
			if strings.Contains(log.String(), "secret") {
				t.Errorf("the log has an argument value: %s", log)
			}
		})
	}
}
