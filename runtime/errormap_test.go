package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// journal is the log of a server, one JSON object per line.
type journal struct{ syncbuffer.Buffer }

// logged sets the logger of srv and returns its log.
func logged(srv *runtime.Server, level slog.Level) *journal {
	j := &journal{}
	srv.Logger = slog.New(slog.NewJSONHandler(j, &slog.HandlerOptions{Level: level}))
	return j
}

// returns makes the func of a tool that fails with err.
func returns(err error) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
	return func(context.Context, json.RawMessage) (*mcptool.Result, error) { return nil, err }
}

var reference = regexp.MustCompile(`reference ([A-Z2-7]{8})\)`)

// TestDefects: an error caused by the author is logged with a reference. The client gets only
// the reference.
func TestDefects(t *testing.T) {
	t.Parallel()
	panics := func(context.Context, json.RawMessage) (*mcptool.Result, error) { panic("the secret") }
	inner := tool(t, "inner", panics)
	drops := func(next mcptool.Handler) mcptool.Handler {
		return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			res, err := next(ctx, args)
			if err != nil {
				return nil, err
			}
			return &mcptool.Result{Content: res.Content}, nil
		}
	}
	for _, test := range []struct {
		name       string
		tool       *mcptool.Tool
		logged     []string
		middleware []mcptool.Middleware // of the server
	}{
		{"T-TERR-06 T-LOG-10 panic", tool(t, "x", panics), []string{"the secret", `"stack":"goroutine`, "errormap_test.go"}, nil},
		{"result violates the schema", tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: map[string]any{"secret": "x"}}, nil
		}, mcptool.OutputSchema(json.RawMessage(`{"type":"object","properties":{"secret":{"type":"integer"}}}`))), []string{"secret", "integer"}, nil},
		{"result not representable in JSON", tool(t, "x", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Structured: func() {}}, nil
		}), []string{"func()"}, nil},
		{"nested call", tool(t, "x", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			_, err := inner.Call(ctx, nil)
			return nil, fmt.Errorf("calling inner: %w", err)
		}), []string{"inner: panic: the secret"}, nil},
		{"panic in a goroutine of mcptool.Go", tool(t, "x", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
			return nil, mcptool.Go(ctx, func(ctx context.Context) error { _, err := panics(ctx, args); return err })
		}), []string{"x: panic: the secret", `"stack":"goroutine`, "errormap_test.go"}, nil},
		{"middleware that drops Structured", returning(t, "x", station{"a"}, mcptool.Use(drops)), []string{"x: the middleware of the option Use returned a result that cannot be sent: it has no Structured", "return the Result of next"}, nil},
		{"middleware of the server that drops Structured", returning(t, "x", station{"a"}), []string{"x: the middleware of the server returned a result that cannot be sent: it has no Structured", "return the Result of next"}, []mcptool.Middleware{drops}},
		{"func that sets no Structured", tool(t, "x", returns(nil), mcptool.OutputSchema(json.RawMessage(`{"type":"object"}`))), []string{"x: the result cannot be sent: it has no Structured", "set Structured"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, test.tool)
			srv.Middleware = test.middleware
			log := logged(srv, slog.LevelError)
			w := open(t, srv)
			w.handshake("2025-06-18")
			w.send(legacy("17", "tools/call", `"name":"x"`))
			answer := w.want(`"isError":true`)
			ref := reference.FindStringSubmatch(answer)
			if ref == nil || strings.Contains(answer, "secret") || strings.Contains(answer, "func") || strings.Contains(answer, ".go") {
				t.Fatalf("answer %s, want only a reference", answer)
			}
			for _, want := range append(test.logged, ref[1], `"tool":"x"`, `"request_id":"17"`) {
				if !strings.Contains(log.String(), want) {
					t.Errorf("log lacks %s:\n%s", want, log)
				}
			}
		})
	}
}

func TestAuthorErrors(t *testing.T) {
	t.Parallel()
	picky, err := mcptool.NewRaw("picky", json.RawMessage(`{"type":"object","required":["a"]}`), echo)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		fn   func(context.Context, json.RawMessage) (*mcptool.Result, error)
		want string // the text of the result, as JSON
	}{
		{"plain", returns(errors.New("no such order")), `"no such order"`},
		{"two lines", returns(errors.New("a\nb")), `"a\nb"`},
		{"not UTF-8", returns(errors.New("a\xff")), `"a` + "\ufffd" + `"`},
		{"empty", returns(errors.New(" ")), `"the tool failed without an error message"`},
		{"T-ERR-06 deadline of the tool", returns(fmt.Errorf("asking the database: %w", context.DeadlineExceeded)), `"asking the database: context deadline exceeded"`},
		{"invalid arguments of a nested call", func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			return picky.Call(ctx, nil)
		}, `"picky: invalid arguments`},
		{"long", returns(errors.New(strings.Repeat("x", 10_000))), `xxx…"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := open(t, serve(t, tool(t, "x", test.fn)))
			w.handshake("2024-11-05")
			w.send(legacy("1", "tools/call", `"name":"x"`))
			if msg := w.want(`"result":{"content":[{"type":"text","text":"`, test.want, `"isError":true`); len(msg) > 5000 {
				t.Errorf("the answer has %d bytes, want at most 5000", len(msg))
			}
		})
	}
}

func TestUnknownTool(t *testing.T) {
	t.Parallel()
	w := open(t, serve(t, tool(t, "get_weather", echo), tool(t, "get_whether", echo), tool(t, "send_mail", echo)))
	w.handshake("2025-11-25")
	w.send(legacy("1", "tools/call", `"name":"get_weathr"`))
	w.want(`"code":-32602`, `unknown tool \"get_weathr\"; did you mean \"get_weather\" or \"get_whether\"?`)
	w.send(legacy("2", "tools/call", `"name":"`+strings.Repeat("long ", 100_000)+`"`))
	if msg := w.want(`"code":-32602`); len(msg) > 300 {
		t.Errorf("the answer has %d bytes, want at most 300", len(msg))
	}
}

func TestCancellationIsLogged(t *testing.T) {
	t.Parallel()
	t.Run("T-CANC-06 with its reason", cancellationIsLogged)
}

func cancellationIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := make(chan error, 1)
		srv := serve(t, tool(t, "x", cause(told)))
		log := logged(srv, slog.LevelInfo)
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "tools/call", `"name":"x"`))
		synctest.Wait()
		w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"lunch"}}`)
		<-told
		if !strings.Contains(log.String(), `"msg":"call cancelled by the client","tool":"x","request_id":"1","reason":"lunch"`) {
			t.Errorf("log lacks the cancellation:\n%s", log)
		}
	})
}

// TestMaskErrors: the client gets only the text of errors marked by Errorf and of the errors of the framework. Other
// errors are replaced by a reference, and logged.
func TestMaskErrors(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret of 10.0.0.1")
	picky, err := mcptool.NewRaw("picky", json.RawMessage(`{"type":"object","required":["a"]}`), echo)
	if err != nil {
		t.Fatal(err)
	}
	_, picked := picky.Call(t.Context(), nil)
	for _, test := range []struct {
		name   string
		err    error
		want   string // "": masked
		reason string
	}{
		{"unmarked", secret, "", "may be secret"},
		{"no text", errors.New(""), "", "also masked"},
		{"marked", mcptool.Errorf("there is no order %d", 7), "there is no order 7", "Errorf is for the client"},
		{"marked, with %w", mcptool.Errorf("try later: %w", errors.New("the line is busy")), "try later: the line is busy", "the author includes the cause"},
		{"wrapped mark", fmt.Errorf("%w: %w", secret, mcptool.Errorf("there is no order")), "there is no order", "text around the mark is masked"},
		{"invalid arguments of a nested call", fmt.Errorf("%w: %w", secret, picked), "picky: invalid arguments", "violations are never masked"},
		{"declined", fmt.Errorf("%w: %w", secret, mcptool.ErrDeclined), "the user declined", "the client knows the refusal"},
		{"error of the client", &mcptool.AskAnswerError{Code: 1, Err: errors.New("no model")}, "no model", "sent by the client"},
		{"timeout of a nested call", fmt.Errorf("%w: %w", secret, &private.TimeoutError{Tool: "y", Limit: 1e9}), "its limit of 1s", "limits are not secret"},
		{"capability", fmt.Errorf("%w: %w", secret, &mcptool.CapabilityError{Missing: []string{"sampling"}}), "sampling", "describes the client"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, tool(t, "x", returns(test.err)))
			srv.MaskErrors = true
			log := logged(srv, slog.LevelError)
			w := open(t, srv)
			w.handshake("2025-11-25")
			w.send(legacy("17", "tools/call", `"name":"x"`))
			answer := w.want(`"isError":true`, test.want)
			if strings.Contains(answer, "secret") {
				t.Errorf("answer %s has the secret: %s", answer, test.reason)
			}
			ref := reference.FindStringSubmatch(answer)
			if masked := ref != nil; masked != (test.want == "") {
				t.Fatalf("masked = %t, want %t: %s: answer %s", masked, test.want == "", test.reason, answer)
			}
			if ref == nil {
				return
			}
			for _, want := range []string{ref[1], test.err.Error(), `"tool":"x"`, `"request_id":"17"`} {
				if !strings.Contains(log.String(), want) {
					t.Errorf("log lacks %s:\n%s", want, log)
				}
			}
		})
	}
}

// TestMaskErrorsRefusal: the error of a refusal contains the question, even if errors are masked, since the client has
// it already. Other text of the func is masked.
func TestMaskErrorsRefusal(t *testing.T) {
	t.Parallel()
	secret := errors.New("secret of 10.0.0.1")
	refuse := func(wrap func(error) error) func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
			return nil, wrap(mcptool.Confirm(ctx, "Sure?"))
		}
	}
	both := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		var a, b struct {
			Name string `json:"name"`
		}
		return nil, mcptool.AskAll(ctx, mcptool.ElicitPart(&a, "First?"), mcptool.ElicitPart(&b, "Second?"))
	}
	for _, test := range []struct {
		name, tool, answer, want string
	}{
		{"declined", "plain", `"action":"decline"`, `"text":"the user declined: Sure?"`},
		{"answered no", "plain", `"action":"accept","content":{"confirm":false}`, `"text":"the user declined: Sure?"`},
		{"dismissed", "plain", `"action":"cancel"`, `"text":"the user dismissed the question: Sure?"`},
		{"wrapped with a secret", "wrapped", `"action":"decline"`, `"text":"the user declined: Sure?"`},
		{"other text for the same error", "replaced", `"action":"decline"`, `"text":"the user declined"`},
		{"two questions", "both", `"action":"decline"`, `"text":"the user declined: First?\nthe user declined: Second?"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, tool(t, "both", both), tool(t, "plain", refuse(func(err error) error { return err })),
				tool(t, "wrapped", refuse(func(err error) error { return fmt.Errorf("%w: %w", secret, err) })),
				tool(t, "replaced", refuse(func(err error) error { return fmt.Errorf("%w: %w", mcptool.ErrDeclined, secret) })))
			srv.MaskErrors = true
			w := open(t, srv)
			w.handshakeAble("2025-11-25")
			w.send(legacy("1", "tools/call", `"name":"`+test.tool+`"`))
			msg := w.next()
			for id := 1; strings.Contains(msg, `"elicitation/create"`); id++ {
				w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{%s}}`, id, test.answer))
				msg = w.next()
			}
			if !strings.Contains(msg, test.want) || strings.Contains(msg, "secret") {
				t.Errorf("got %s, want %s", msg, test.want)
			}
		})
	}
}

// TestMaskErrorsSparesValidation: violations of arguments and the text of results are not masked.
func TestMaskErrorsSparesValidation(t *testing.T) {
	t.Parallel()
	picky, err := mcptool.NewRaw("picky", json.RawMessage(`{"type":"object","required":["a"]}`), echo)
	if err != nil {
		t.Fatal(err)
	}
	srv := serve(t, picky, tool(t, "sorry", func(context.Context, json.RawMessage) (*mcptool.Result, error) {
		return &mcptool.Result{IsError: true, Content: []mcptool.Content{mcptool.Text{Text: "closed on Sundays"}}}, nil
	}))
	srv.MaskErrors = true
	w := open(t, srv)
	w.handshake("2025-11-25")
	w.send(legacy("1", "tools/call", `"name":"picky"`))
	w.want(`"isError":true`, "picky: invalid arguments", "a: is required")
	w.send(legacy("2", "tools/call", `"name":"sorry"`))
	w.want(`"isError":true`, "closed on Sundays")
}

// TestMethodErrorf: methods always mask errors, except those marked by Errorf.
func TestMethodErrorf(t *testing.T) {
	t.Parallel()
	srv := serve(t)
	srv.Methods = []runtime.Method{{Name: "x", Handle: func(context.Context, json.RawMessage) (any, error) {
		return nil, fmt.Errorf("secret: %w", mcptool.Errorf("come back tomorrow"))
	}}}
	w := open(t, srv)
	w.handshake("2025-11-25")
	w.send(legacy("1", "x", ""))
	w.want(`"error":{"code":-32603,"message":"come back tomorrow"}`)
}

// TestMethodUnanswered: the error of a method has the reason of an unanswered question, and no text around it.
func TestMethodUnanswered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		why  error
		want string
	}{
		{mcptool.ErrDeclined, mcptool.ErrDeclined.Error()},
		{&mcptool.AskAnswerError{Code: 1, Err: errors.New("no model")}, "no model"},
	} {
		srv := serve(t)
		srv.Methods = []runtime.Method{{Name: "x", Handle: func(context.Context, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("secret of 10.0.0.1: %w", test.why)
		}}}
		w := open(t, srv)
		w.handshake("2025-11-25")
		w.send(legacy("1", "x", ""))
		if answer := w.want(`"error":{"code":-32600`, test.want); strings.Contains(answer, "secret") {
			t.Errorf("answer %s has the secret", answer)
		}
	}
}
