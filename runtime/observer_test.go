package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// operationKey is the context key of the operations, outermost first.
type operationKey struct{}

func operationsIn(ctx context.Context) string {
	text, _ := ctx.Value(operationKey{}).(string)
	return text
}

// ledger is an observer that checks that every operation ends once, with the context that Begin returned, and that client
// requests begin in the context of a call.
type ledger struct {
	mu    sync.Mutex
	open  map[*observe.Operation]string
	wrong []string
	lines []string // one for each ended operation
}

func (l *ledger) Begin(ctx context.Context, op *observe.Operation) context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = map[*observe.Operation]string{}
	}
	within := strings.TrimSpace(operationsIn(ctx) + " " + op.Kind.String() + ":" + op.Method)
	if op.Kind == observe.KindClientRequest && operationsIn(ctx) == "" {
		l.wrong = append(l.wrong, within+" begins outside the context of its call")
	}
	l.open[op] = within
	return context.WithValue(ctx, operationKey{}, within)
}

func (l *ledger) End(ctx context.Context, op *observe.Operation, r observe.Result) {
	l.mu.Lock()
	defer l.mu.Unlock()
	within, begun := l.open[op]
	if !begun || within != operationsIn(ctx) {
		l.wrong = append(l.wrong, fmt.Sprintf("End of %s %s in the context of %q", op.Kind, op.Method, operationsIn(ctx)))
	}
	delete(l.open, op)
	line := fmt.Sprintf("%s %s %s:%s %s %s %s %d", op.Kind, op.Method, op.TargetKind, op.Target, op.ProtocolVersion, op.RequestID, op.Transport, op.Bytes)
	if op.Principal != "" {
		line += " by " + op.Principal
	}
	line += fmt.Sprintf(" = %s %v %d %s", r.Outcome, r.Duration, r.Bytes, r.ErrorMessage)
	if r.ErrorCode != 0 {
		line += fmt.Sprint(" ", r.ErrorCode)
	}
	if r.Failed {
		line += " FAILED"
	}
	l.lines = append(l.lines, strings.Join(strings.Fields(line), " "))
}

// problems returns the violations, including operations that have not ended, except those of the kinds in mayBeOpen.
func (l *ledger) problems(mayBeOpen ...observe.Kind) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	wrong := slices.Clone(l.wrong)
	for op, within := range l.open {
		if !slices.Contains(mayBeOpen, op.Kind) {
			wrong = append(wrong, within+" has not ended")
		}
	}
	return wrong
}

// check reports the problems, and returns the lines and clears them.
func (l *ledger) check(t *testing.T, mayBeOpen ...observe.Kind) []string {
	t.Helper()
	for range 100 { // an operation ends after its response
		if l.problems(mayBeOpen...) == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	for _, problem := range l.problems(mayBeOpen...) {
		t.Error(problem)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lines := l.lines
	l.lines = nil
	return lines
}

// observedServer returns a server with items for every kind of outcome, and its ledger. The items return the operations in
// their contexts.
func observedServer(t *testing.T) (*runtime.Server, *ledger) {
	t.Helper()
	where := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: operationsIn(ctx)}}}, nil
	}
	strict, err := mcptool.New(func(ctx context.Context, _ struct {
		A int `json:"a"`
	},
	) (string, error) {
		return operationsIn(ctx), nil
	}, mcptool.Name("strict"))
	if err != nil {
		t.Fatal(err)
	}
	srv := taskServer(t, tool(t, "ok", where), strict, confirming(t, "ask", nil), tool(t, "fails", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return nil, errors.New("no")
	}), tool(t, "waits", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		<-ctx.Done()
		if cause := context.Cause(ctx); !errors.Is(cause, runtime.ErrCancelled) {
			t.Errorf("Cause = %v, want ErrCancelled", cause)
		}
		return nil, ctx.Err()
	}, mcptool.Timeout(time.Hour)), tool(t, "closed", where, mcptool.Scopes("x")), tool(t, "task", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		time.Sleep(time.Minute)
		return where(ctx, nil)
	}, mcptool.Task(mcptool.TaskSupportOptional)))
	prompt, err := mcptool.NewPrompt(func(ctx context.Context, _ struct {
		Name string `json:"name" jsonschema:"enum=ann"`
	},
	) (string, error) {
		return operationsIn(ctx), nil
	}, mcptool.Name("greet"))
	if err != nil {
		t.Fatal(err)
	}
	file, err := mcptool.NewResource(func(ctx context.Context, _ struct {
		Name string `json:"name"`
	},
	) (string, error) {
		return operationsIn(ctx), nil
	}, mcptool.Name("file"), mcptool.URI("files://{name}"))
	if err != nil {
		t.Fatal(err)
	}
	if err := srv.Tools.Add(prompt, file); err != nil {
		t.Fatal(err)
	}
	srv.Methods = []runtime.Method{{Name: "own", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
		return map[string]string{"in": operationsIn(ctx)}, nil
	}}}
	srv.Extensions = []runtime.Extension{{ID: thing, Notifications: map[string]func(context.Context, json.RawMessage){
		"notifications/thing": func(ctx context.Context, _ json.RawMessage) {
			if got := operationsIn(ctx); got != "notification:notifications/thing" {
				t.Errorf("operations of a notification = %q", got)
			}
		},
	}}}
	l := new(ledger)
	srv.Observer = l
	return srv, l
}

// TestObserver sends messages of every kind and checks the operations that the observer gets.
func TestObserver(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, revision string
		send           []string // messages; "" waits a minute
		answered       string   // part of the last response
		want           []string
	}{
		{"OTL-07 call", "2025-11-25", []string{legacy("1", "tools/call", `"name":"ok","arguments":{"b":1}`)}, `"text":"request:tools/call"`, []string{
			"request tools/call tool:ok 2025-11-25 1 stdio 7 = ok 0s sent",
		}},
		{"modern call", "", []string{modern(`"a"`, "tools/call", `,"name":"ok"`)}, `"text":"request:tools/call"`, []string{
			`request tools/call tool:ok 2026-07-28 "a" stdio 0 = ok 0s sent`,
		}},
		{"tool error", "2025-11-25", []string{legacy("1", "tools/call", `"name":"fails"`)}, `"isError":true`, []string{
			"request tools/call tool:fails 2025-11-25 1 stdio 0 = error 0s sent FAILED",
		}},
		{"invalid arguments", "2025-11-25", []string{legacy("1", "tools/call", `"name":"strict","arguments":{"a":"x"}`)}, `"isError":true`, []string{
			"request tools/call tool:strict 2025-11-25 1 stdio 9 = invalid_arguments 0s sent FAILED",
		}},
		{"prompt", "2025-11-25", []string{legacy("1", "prompts/get", `"name":"greet","arguments":{"name":"ann"}`)}, `"text":"request:prompts/get"`, []string{
			"request prompts/get prompt:greet 2025-11-25 1 stdio 14 = ok 0s sent",
		}},
		{"resource", "2025-11-25", []string{legacy("1", "resources/read", `"uri":"files://a"`)}, `"text":"request:resources/read"`, []string{
			"request resources/read resource:files://{name} 2025-11-25 1 stdio 11 = ok 0s sent",
		}},
		{"completion", "2025-11-25", []string{legacy("1", "completion/complete", `"ref":{"type":"ref/prompt","name":"greet"},"argument":{"name":"name","value":"a"}`)}, `"values":["ann"]`, []string{
			"request completion/complete prompt:greet 2025-11-25 1 stdio 83 = ok 0s sent",
		}},
		{"custom method", "2025-11-25", []string{legacy("1", "own", "")}, `"in":"request:own"`, []string{
			"request own : 2025-11-25 1 stdio 2 = ok 0s sent",
		}},
		{"list", "2025-11-25", []string{legacy("1", "prompts/list", "")}, `"prompts"`, []string{
			"request prompts/list : 2025-11-25 1 stdio 2 = ok 0s sent",
		}},
		{"ping", "2025-11-25", []string{legacy("1", "ping", "")}, `"result":{}`, []string{
			"request ping : 2025-11-25 1 stdio 2 = ok 0s sent",
		}},
		{"OTL-08 unknown names are not labels", "2025-11-25", []string{
			legacy("1", "tools/call", `"name":"made up"`), legacy("2", "prompts/get", `"name":"made up"`), legacy("3", "resources/read", `"uri":"made:up"`),
			legacy("4", "made/up", ""), `{"jsonrpc":"2.0","method":"notifications/made/up"}`, modern("5", "made/up", ""),
			strings.Replace(modern("6", "tools/call", `,"name":"ok"`), "2026-07-28", "made up", 1),
		}, `"code":-32022`, []string{
			`request tools/call : 2025-11-25 1 stdio 0 = refused 0s sent unknown tool "made up" -32602 FAILED`,
			`request prompts/get : 2025-11-25 2 stdio 0 = refused 0s sent unknown prompt "made up" -32602 FAILED`,
			`request resources/read : 2025-11-25 3 stdio 9 = refused 0s sent Resource not found -32002 FAILED`,
			`request : 2025-11-25 4 stdio 2 = refused 0s sent unknown method "made/up" -32601 FAILED`,
			`notification : 2025-11-25 stdio 0 = ok 0s 0`,
			`request : 2026-07-28 5 stdio 114 = refused 0s sent unknown method "made/up" -32601 FAILED`,
			`request tools/call : 6 stdio 0 = refused 0s sent unsupported protocol version -32022 FAILED`,
		}},
		{"invalid messages", "2025-11-25", []string{`{`, `[]`, `{"jsonrpc":"1.0","id":1,"method":"ping"}`}, `"code":-32600`, []string{
			"request : 2025-11-25 stdio 0 = refused 0s sent invalid JSON at byte 1: unexpected end of input -32700 FAILED",
			"request : 2025-11-25 stdio 0 = refused 0s sent a message is a JSON object; batches exist only in revision 2025-03-26, once it is negotiated -32600 FAILED",
			`request : 2025-11-25 1 stdio 0 = refused 0s sent "jsonrpc" must be "2.0" -32600 FAILED`,
		}},
		{"batch", "2025-03-26", []string{`[` + legacy("1", "ping", "") + `,` + legacy("2", "tools/call", `"name":"ok"`) + `,7]`}, `"text":"request:tools/call"`, []string{
			"request ping : 2025-03-26 1 stdio 2 = ok 0s 36",
			"request : 2025-03-26 stdio 0 = refused 0s 80 a message is a JSON object -32600 FAILED",
			"request tools/call tool:ok 2025-03-26 2 stdio 0 = ok 0s 91",
		}},
		{"notification of an extension", "2025-11-25", []string{`{"jsonrpc":"2.0","method":"notifications/thing","params":{}}`}, "", []string{
			"notification notifications/thing : 2025-11-25 stdio 2 = ok 0s 0",
		}},
		{"cancelled", "2025-11-25", []string{
			legacy("1", "tools/call", `"name":"waits"`), `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		}, "", []string{
			"request tools/call tool:waits 2025-11-25 1 stdio 0 = cancelled 1s 0 FAILED",
			"notification notifications/cancelled : 2025-11-25 stdio 15 = ok 0s 0",
		}},
		{"client request", "2025-11-25", []string{
			legacy("1", "tools/call", `"name":"ask"`), `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}`,
		}, `"agreed"`, []string{
			"client_request elicitation/create tool:ask 2025-11-25 stdio 191 = ok 1s 46",
			"request tools/call tool:ask 2025-11-25 1 stdio 0 = ok 1s sent",
		}},
		{"client request with an error", "2025-11-25", []string{
			legacy("1", "tools/call", `"name":"ask"`), `{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"no"}}`,
		}, `"isError":true`, []string{
			"client_request elicitation/create tool:ask 2025-11-25 stdio 191 = error 1s 0 the client could not answer: no (code -1) -1 FAILED",
			"request tools/call tool:ask 2025-11-25 1 stdio 0 = error 1s sent FAILED",
		}},
		{"input required", "", []string{able("1", "tools/call", `,"name":"ask"`)}, `"input_required"`, []string{
			"request tools/call tool:ask 2026-07-28 1 stdio 0 = asked 0s sent",
		}},
		{"task", "", []string{tasked("1", "tools/call", `,"name":"task"`), "", ""}, "", []string{
			"request tools/call tool:task 2026-07-28 1 stdio 0 = task 250ms sent",
			"task tools/call tool:task 2026-07-28 1 stdio 0 = ok 1m0s 174",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, l := observedServer(t)
				w := open(t, srv)
				if test.revision != "" {
					w.handshakeAble(test.revision)
					synctest.Wait()
					l.check(t, observe.KindSession)
				}
				for _, msg := range test.send {
					if msg != "" {
						w.send(msg)
					}
					synctest.Wait()
					if msg == "" {
						time.Sleep(time.Minute)
					} else if strings.Contains(msg, `"waits"`) || strings.Contains(msg, `"ask"`) && test.revision != "" {
						time.Sleep(time.Second)
					}
				}
				synctest.Wait()
				last, sizes := "", map[string]bool{}
				for len(w.out) > 0 {
					last = <-w.out
					sizes[strconv.Itoa(len(last))] = true
				}
				if !strings.Contains(last, test.answered) {
					t.Errorf("got %s, want %s", last, test.answered)
				}
				got := l.check(t, observe.KindSession)
				for i, line := range got {
					begun, ended, _ := strings.Cut(line, " = ")
					if result := strings.Fields(ended); sizes[result[2]] {
						result[2] = "sent" // size of a message
						got[i] = begun + " = " + strings.Join(result, " ")
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("operations mismatch (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestObserverAccess: operations have the access and the _meta of their message, and the HTTP version.
func TestObserverAccess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, l := observedServer(t)
		var meta string
		srv.Observer = observerFunc(func(ctx context.Context, op *observe.Operation) context.Context {
			meta = string(op.Meta)
			return l.Begin(ctx, op)
		}, l.End)
		w := open(t, srv)
		for _, name := range []string{"ok", "closed"} {
			m := srv.Read([]byte(modern("1", "tools/call", `,"name":"`+name+`"`)))
			m.Access, m.HTTP = (*engine.Access)(&runtime.Access{Principal: "ann"}), 2
			w.session.Serve(m, writerOf(w))
			w.next()
			synctest.Wait() // the operation ends after its response
		}
		if !strings.HasPrefix(meta, `{"io.modelcontextprotocol/protocolVersion"`) {
			t.Errorf("Meta = %s", meta)
		}
		// An endpoint of another framework's server has neither a session nor a transport.
		srv.Endpoint(t.Context()).Answer(t.Context(), srv.Read([]byte(modern("1", "tools/call", `,"name":"ok"`))), writerOf(w))
		w.next()
		want := []string{
			"request tools/call tool:ok 2026-07-28 1 http/2 0 by ann = ok 0s 192",
			`request tools/call tool:closed 2026-07-28 1 http/2 0 by ann = refused 0s 84 unknown tool "closed" -32602 FAILED`,
			"request tools/call tool:ok 2026-07-28 1 0 = ok 0s 192",
		}
		synctest.Wait()
		if diff := cmp.Diff(want, l.check(t)); diff != "" {
			t.Errorf("operations mismatch (-want +got):\n%s", diff)
		}
	})
}

// funcs is an observer made of two funcs.
type funcs struct {
	begin func(context.Context, *observe.Operation) context.Context
	end   func(context.Context, *observe.Operation, observe.Result)
}

func observerFunc(begin func(context.Context, *observe.Operation) context.Context, end func(context.Context, *observe.Operation, observe.Result)) funcs {
	return funcs{begin, end}
}

func (f funcs) Begin(ctx context.Context, op *observe.Operation) context.Context {
	return f.begin(ctx, op)
}

func (f funcs) End(ctx context.Context, op *observe.Operation, r observe.Result) {
	f.end(ctx, op, r)
}
