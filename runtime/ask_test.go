package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// confirming returns a tool that asks for confirmation and stores the error of Confirm in told.
func confirming(t *testing.T, name string, told *error, opts ...mcptool.ToolOption) *mcptool.Tool {
	t.Helper()
	return tool(t, name, func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		err := mcptool.Confirm(ctx, "Sure?")
		if told != nil {
			*told = err
		}
		return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "agreed"}}}, err
	}, opts...)
}

// able returns a modern request of a client with all capabilities for client requests.
func able(id, method, params string) string {
	return strings.Replace(modern(id, method, params), `"io.modelcontextprotocol/clientCapabilities":{}`,
		`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{},"sampling":{},"roots":{}}`, 1)
}

const agree = `"inputResponses":{"q1":{"action":"accept","content":{"confirm":true}}}`

// stateOf returns the requestState of a result that asks.
func stateOf(t *testing.T, msg string) string {
	t.Helper()
	var m struct {
		Result struct{ RequestState, ResultType string }
	}
	if err := json.Unmarshal([]byte(msg), &m); err != nil || m.Result.ResultType != "input_required" || m.Result.RequestState == "" {
		t.Fatalf("no input_required result: %s, %v", msg, err)
	}
	return m.Result.RequestState
}

// handshakeAble is like handshake, for a client with all capabilities for client requests.
func (w *wire) handshakeAble(version string) {
	w.t.Helper()
	w.send(legacy(`"init"`, "initialize", `"protocolVersion":"`+version+`","capabilities":{"elicitation":{},"sampling":{},"roots":{}},"clientInfo":{"name":"tester","version":"1"}`))
	w.want(`"protocolVersion":"` + version + `"`)
	w.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// TestAskElsewhere: a process accepts a state that another process has sealed if they share a key, also when it is no
// longer the first one. It rejects the state otherwise.
func TestAskElsewhere(t *testing.T) {
	t.Parallel()
	one, two := [32]byte{1}, [32]byte{2}
	call := func(keys [][32]byte, params string) string {
		srv := serve(t, confirming(t, "ask", nil))
		srv.StateKeys = keys
		w := open(t, srv)
		w.send(able("1", "tools/call", `,"name":"ask"`+params))
		return w.next()
	}
	state := stateOf(t, call([][32]byte{one}, ""))
	retry := `,"requestState":"` + state + `",` + agree
	for name, test := range map[string]struct {
		keys [][32]byte
		want string
	}{
		"T-STATE-03 T-MRTR-11 the same key": {[][32]byte{one}, `"text":"agreed"`},
		"new first key":                     {[][32]byte{two, one}, `"text":"agreed"`},
		"removed key":                       {[][32]byte{two}, `"code":-32602`},
		"no key configured":                 {nil, `"code":-32602`},
	} {
		if got := call(test.keys, retry); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// TestAskOtherServer: servers without usable keys share the random key of the process, so any of them accepts the
// answer.
func TestAskOtherServer(t *testing.T) {
	t.Parallel()
	ask := func(srv *runtime.Server, params string) string {
		w := open(t, srv)
		w.send(able("1", "tools/call", `,"name":"ask"`+params))
		return w.next()
	}
	retry := `,"requestState":"` + stateOf(t, ask(serve(t, confirming(t, "ask", nil)), "")) + `",` + agree
	if got := ask(serve(t, confirming(t, "ask", nil)), retry); !strings.Contains(got, `"text":"agreed"`) {
		t.Errorf("another server answered %s", got)
	}
	zeros := serve(t, confirming(t, "ask", nil))
	zeros.StateKeys, zeros.Logger = make([][32]byte, 1), slog.New(slog.DiscardHandler)
	if got := ask(zeros, retry); !strings.Contains(got, `"text":"agreed"`) {
		t.Errorf("a server with a key of zeros answered %s", got)
	}
}

// TestAskPrincipal: a state is valid only for the principal that was asked. The log of a rejection has nothing of the
// state.
func TestAskPrincipal(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	srv := serve(t, confirming(t, "ask", nil))
	srv.Logger = slog.New(slog.NewTextHandler(&log, nil))
	w := open(t, srv)
	send := func(principal, params string) string {
		m := srv.Read([]byte(able("1", "tools/call", `,"name":"ask"`+params)))
		m.Access = (*engine.Access)(&runtime.Access{Principal: principal})
		w.session.Serve(m, writerOf(w))
		return w.next()
	}
	state := stateOf(t, send("ada", ""))
	for name, test := range map[string]struct{ principal, want string }{
		"T-ELIC-13 T-MRTR-08 T-SEC-08 another principal": {"eve", `"code":-32602`},
		"same principal": {"ada", `"text":"agreed"`},
	} {
		if got := send(test.principal, `,"requestState":"`+state+`",`+agree); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
	if text := log.String(); !strings.Contains(text, `level=WARN msg="request state rejected" tool=ask principal=eve`) || strings.Contains(text, state[:20]) {
		t.Errorf("log = %s, want the rejection without the state", text)
	}
}

// writerOf returns a [runtime.Writer] that sends all messages of a request to a wire.
func writerOf(w *wire) runtime.Writer { return enginetest.Conn{Send: w.Notify} }

// TestAskLimits: a state that is too large is an internal error, with the reason only in the log.
func TestAskLimits(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		_, err := mcptool.Once(ctx, "big", func(context.Context) (string, error) { return strings.Repeat("x", 100), nil })
		if err == nil {
			err = mcptool.Confirm(ctx, "Sure?")
		}
		return nil, err
	}))
	var log bytes.Buffer
	srv.Logger, runtime.Fixed(srv).MaxStateBytes = slog.New(slog.NewTextHandler(&log, nil)), 200
	w := open(t, srv)
	w.send(able("1", "tools/call", `,"name":"ask"`))
	w.want(`"text":"the tool failed with an internal error (reference `, `"isError":true`)
	w.send(able("2", "tools/call", `,"name":"ask","requestState":"`+strings.Repeat("A", 201)+`"`))
	w.want(`"code":-32602`)
	if !strings.Contains(log.String(), `reason="the state (the answers so far and the values of Once) is larger than 64 KiB"`) {
		t.Errorf("log lacks the reason of the rejected state: %s", &log)
	}
	if !strings.Contains(log.String(), "the question cannot be asked: the state (the answers so far and the values of Once) is larger than 64 KiB") {
		t.Errorf("log lacks the reason of the failed question: %s", &log)
	}
}

// TestAskOnAndOn: a tool that asks without checking errors is limited by MaxClientRequests.
func TestAskOnAndOn(t *testing.T) {
	t.Parallel()
	srv := serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		for range 99 {
			_ = mcptool.Confirm(ctx, "Sure?")
		}
		return nil, mcptool.Confirm(ctx, "Sure?")
	}))
	runtime.Fixed(srv).MaxClientRequests = 3
	w := open(t, srv)
	w.send(able("1", "tools/call", `,"name":"ask"`))
	if msg := w.want(`"q3":`); strings.Contains(msg, `"q4":`) {
		t.Errorf("more than 3 questions: %s", msg)
	}
}

// TestAskEnds: the end of a call also ends Confirm, with the cause.
func TestAskEnds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		end  func(w *wire)
		want string // answer to the call; "": none
	}{
		{"cancellation", func(w *wire) { w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`) }, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var told error
				w := open(t, serve(t, confirming(t, "ask", &told)))
				w.handshakeAble("2025-06-18")
				w.send(legacy("1", "tools/call", `"name":"ask"`))
				w.want(`"method":"elicitation/create"`)
				test.end(w)
				synctest.Wait()
				if !errors.Is(told, context.Canceled) {
					t.Errorf("Confirm = %v, want context.Canceled", told)
				}
				w.want(`"method":"notifications/cancelled","params":{"requestId":1,"reason":"the call has ended"}`)
				if test.want != "" {
					w.want(test.want)
				}
				w.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}`)
				synctest.Wait()
				w.quiet()
			})
		})
	}
}

// TestAskWhenClosing: Close does not wait for answers that the tool would not receive.
func TestAskWhenClosing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 2)
		w := open(t, serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			told <- mcptool.Confirm(ctx, "Sure?")
			err := mcptool.Confirm(ctx, "Really?")
			told <- err
			return nil, err
		})))
		w.handshakeAble("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"ask"`))
		w.want(`"method":"elicitation/create"`)
		begun := time.Now()
		if err := w.session.Close(t.Context()); err != nil || time.Since(begun) > 0 {
			t.Errorf("Close = %v after %v, want nil at once", err, time.Since(begun))
		}
		for range 2 {
			if err := <-told; !errors.Is(err, mcptool.ErrNoAnswer) || !errors.Is(err, runtime.ErrShutdown) {
				t.Errorf("Confirm = %v, want ErrNoAnswer and ErrShutdown", err)
			}
		}
		w.want(`"method":"notifications/cancelled","params":{"requestId":1,"reason":"the session ends"}`)
		w.want(`"id":1,"result"`, "the call was stopped: the server is shutting down")
	})
}

// TestAskDeadline: a question whose context has expired is withdrawn, and the tool continues.
func TestAskDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, serve(t, tool(t, "ask", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			short, cancel := context.WithTimeout(ctx, time.Second)
			defer cancel()
			if err := mcptool.Confirm(short, "Quick?"); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Confirm = %v, want context.DeadlineExceeded", err)
			}
			return &mcptool.Result{}, mcptool.Confirm(ctx, "Sure?")
		})))
		w.handshakeAble("2025-06-18")
		w.send(legacy("1", "tools/call", `"name":"ask"`))
		w.want(`"id":1,"method":"elicitation/create"`)
		w.want(`"method":"notifications/cancelled","params":{"requestId":1,"reason":"the tool stopped waiting"}`)
		w.want(`"id":2,"method":"elicitation/create"`)
		w.send(`{"jsonrpc":"2.0","id":1,"result":{"action":"decline"}}`)
		w.send(`{"jsonrpc":"2.0","id":2,"result":{"action":"accept","content":{"confirm":true}}}`)
		w.want(`"id":1,"result":{"content":[]}`)
	})
}

// TestAskHandsOver: the answer to a question is read at once, even if the call runs in the goroutine
// that reads.
func TestAskHandsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ask := false
		srv := serve(t, tool(t, "ask", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			if !ask {
				return &mcptool.Result{}, nil
			}
			err := mcptool.Confirm(ctx, "Sure?")
			return &mcptool.Result{Structured: args}, err
		}))
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		f := &feed{messages: make(chan string, 1000), err: errors.New("the end")}
		ended := make(chan error, 1)
		go func() { ended <- w.session.ReceiveFrom(f) }()
		w.trust(f, legacy("1", "tools/call", `"name":"ask"`))
		ask = true
		begun := time.Now()
		f.messages <- legacy("2", "tools/call", `"name":"ask","arguments":{"n":12345}`)
		f.messages <- `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"confirm":true}}}`
		w.want(`"method":"elicitation/create"`)
		w.want(`"id":2`, `"structuredContent":{"n":12345}`)
		if waited := time.Since(begun); waited != 0 {
			t.Errorf("the answer was read after %v, want 0", waited)
		}
		close(f.messages)
		if err := <-ended; err == nil {
			t.Error("ReceiveFrom = nil, want an error")
		}
	})
}

// TestAskMethod: prompts and resources may ask; custom methods may not in this revision.
func TestAskMethod(t *testing.T) {
	t.Parallel()
	handle := func(ctx context.Context, _ json.RawMessage) (any, error) { return nil, mcptool.Confirm(ctx, "Sure?") }
	srv := serve(t)
	srv.Methods = []runtime.Method{{Name: "acme/ask", Handle: handle}}
	addPrompt(t, srv, "p", confirms)
	addResource(t, srv, "x://{id}", func(ctx context.Context, _ textID) (string, error) { return confirms(ctx, noArguments{}) })
	srv.MaskErrors = true // does not affect questions
	w := open(t, srv)
	w.send(able("1", "prompts/get", `,"name":"p"`))
	retry := `,"requestState":"` + stateOf(t, w.next()) + `",` + agree
	w.send(able("3", "resources/read", `,"uri":"x://1"`))
	read := `,"requestState":"` + stateOf(t, w.next()) + `",` + agree
	for name, test := range map[string]struct{ method, params, want string }{
		"answered":                {"prompts/get", `,"name":"p"` + retry, `"resultType":"complete"`},
		"declined":                {"prompts/get", `,"name":"p"` + strings.Replace(retry, "accept", "decline", 1), `"code":-32600,"message":"the user declined: Sure?"`},
		"other params":            {"prompts/get", `,"name":"p","arguments":{"a":"b"}` + retry, `"code":-32602`},
		"another prompt":          {"resources/read", `,"uri":"x://1"` + retry, `"code":-32602,"message":"params.requestState is invalid or expired`},
		"T-MRTR-05 custom method": {"acme/ask", "", `"code":-32603`},
		"RES-14 resource":         {"resources/read", `,"uri":"x://1"` + read, `"text":"agreed"}],"ttlMs":0`},
		"other resource":          {"resources/read", `,"uri":"x://2"` + read, `"code":-32602,"message":"params.requestState is invalid or expired`},
	} {
		w.send(able("2", test.method, test.params))
		if got := w.next(); !strings.Contains(got, test.want) {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}

// TestAskMethodInVain: a method that gets no answer fails with the reason, for example that the server is shutting down.
func TestAskMethodInVain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t)
		srv.Methods = []runtime.Method{{Name: "acme/ask", Handle: func(ctx context.Context, _ json.RawMessage) (any, error) {
			return nil, mcptool.Confirm(ctx, "Sure?")
		}}, {Name: "acme/lost", Handle: func(context.Context, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("who is there: %w", mcptool.ErrNoAnswer)
		}}}
		w := open(t, srv)
		w.handshakeAble("2025-11-25")
		w.send(legacy("1", "acme/lost", ""))
		w.want(`"id":1,"error":{"code":-32600,"message":"no answer from the client"}`)
		w.send(legacy("2", "acme/ask", ""))
		w.want(`"method":"elicitation/create"`)
		if err := w.session.Close(t.Context()); err != nil {
			t.Error(err)
		}
		w.want(`"method":"notifications/cancelled"`)
		w.want(`"id":2,"error":{"code":-32603,"message":"the request was stopped: the server is shutting down"}`)
	})
}

// TestAnswersUnasked: answers to a tool that does not ask are ignored.
func TestAnswersUnasked(t *testing.T) {
	t.Parallel()
	w := open(t, serve(t, tool(t, "echo", echo)))
	w.send(modern("1", "tools/call", `,"name":"echo","inputResponses":{"q1":{}}`))
	w.want(`"resultType":"complete"`)
}
