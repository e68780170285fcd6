package stdio_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/stdio"
)

// slowEnd sends the ids of sessions that have ended, after some time.
type slowEnd chan string

func (slowEnd) Begin(ctx context.Context, _ *observe.Operation) context.Context { return ctx }

func (e slowEnd) End(_ context.Context, op *observe.Operation, _ observe.Result) {
	if op.Kind == observe.KindSession {
		time.Sleep(500 * time.Millisecond)
		e <- op.SessionID
	}
}

// TestSessionEnd: an observer has been notified of the end of the session, once, when Serve returns: at the end of the
// input, of the context, and when the client does not read.
func TestSessionEnd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"input", "context", "output"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ended := make(slowEnd, 2)
				srv := &runtime.Server{Tools: newRegistry(t), Observer: ended, Logger: slog.New(slog.DiscardHandler)}
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				in, write := io.Pipe()
				read, out := io.Pipe()
				done := make(chan error, 1)
				go func() { done <- stdio.Serve(ctx, srv, stdio.In(in), stdio.Out(out)) }()
				go io.Copy(io.Discard, read)
				const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
				if _, err := io.WriteString(write, initialize); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				switch name {
				case "input":
					write.Close()
				case "context":
					stop()
				default:
					read.Close()
					if _, err := io.WriteString(write, strings.Replace(initialize, "initialize", "ping", 1)); err != nil {
						t.Fatal(err)
					}
				}
				<-done
				if len(ended) != 1 || len(<-ended) != 26 {
					t.Errorf("%d sessions had ended when Serve returned", len(ended))
				}
				write.Close()
				out.Close()
				synctest.Wait()
				if len(ended) != 0 {
					t.Error("the session has ended again")
				}
			})
		})
	}
}
