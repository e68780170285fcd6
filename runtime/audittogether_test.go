package runtime_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// auditTimes is an audit handler that notes when it got each record, as ids of requests.
type auditTimes struct {
	slog.Handler
	block chan struct{} // until it is closed, the handler blocks; nil means that it does not

	mu  sync.Mutex
	ids []string
	at  []time.Time
}

func (a *auditTimes) Handle(ctx context.Context, r slog.Record) error {
	if a.block != nil {
		<-a.block
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "request_id" {
			a.ids = append(a.ids, attr.Value.String())
			a.at = append(a.at, time.Now())
		}
		return true
	})
	return a.Handler.Handle(ctx, r)
}

// withAudit returns a server with an audit handler, and the handler.
func withAudit(t *testing.T, tools ...*mcptool.Tool) (*runtime.Server, *auditTimes) {
	t.Helper()
	srv, a := serve(t, tools...), &auditTimes{Handler: slog.DiscardHandler}
	srv.Audit = slog.New(enabled{a})
	return srv, a
}

// enabled is a handler of all levels.
type enabled struct{ slog.Handler }

func (enabled) Enabled(context.Context, slog.Level) bool { return true }

// TestAuditTogether: records of calls that arrive together come in their order, each of them once, and before the
// session waits for more.
func TestAuditTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, a := withAudit(t, tool(t, "echo", echo))
		w, f := stream(t, srv)
		w.trust(f, legacy("0", "tools/call", `"name":"echo"`))
		want := []string{"0"}
		for i := range 100 {
			id := strconv.Itoa(i + 1)
			want = append(want, id)
			f.messages <- legacy(id, "tools/call", `"name":"echo"`)
		}
		want = append(want, "101")
		f.messages <- legacy("101", "tools/call", `"name":"unknown"`) // refused
		for range 101 {
			w.next()
		}
		synctest.Wait()
		if diff := cmp.Diff(want, a.ids); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestAuditBehindSlowCalls: a record is not held back by a slow call that arrived with it.
func TestAuditBehindSlowCalls(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, a := withAudit(t, tool(t, "nap", nap), tool(t, "echo", echo))
		w, f := stream(t, srv)
		w.trust(f, napCall(1, 0))
		w.trust(f, legacy("2", "tools/call", `"name":"echo"`))
		begun := time.Now()
		f.messages <- legacy("3", "tools/call", `"name":"echo"`)
		f.messages <- napCall(4, 1000)
		f.messages <- legacy("5", "tools/call", `"name":"echo"`)
		for range 3 {
			w.next()
		}
		synctest.Wait()
		if diff := cmp.Diff([]string{"1", "2", "3", "5", "4"}, a.ids); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		for i := 2; i < 4; i++ {
			if waited := a.at[i].Sub(begun); waited > 3*time.Millisecond {
				t.Errorf("the record of call %s came after %v", a.ids[i], waited)
			}
		}
	})
}

// TestAuditBlocked: an audit log that nobody reads delays the calls that arrive together once, and gets their records
// when it is read.
func TestAuditBlocked(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, a := withAudit(t, tool(t, "echo", echo))
		a.block = make(chan struct{})
		w, f := stream(t, srv)
		begun := time.Now()
		for i := range 200 { // of a tool that is not known as quick, so that some run in goroutines of their own
			f.messages <- legacy(strconv.Itoa(i), "tools/call", `"name":"echo"`)
		}
		for range 200 {
			w.next()
		}
		if took := time.Since(begun); took == 0 || took > 200*time.Millisecond {
			t.Errorf("they were answered after %v", took)
		}
		synctest.Wait()
		close(a.block)
		synctest.Wait()
		slices.Sort(a.ids)
		if n := len(slices.Compact(a.ids)); n != 200 {
			t.Errorf("the records of %d calls", n)
		}
	})
}

// leaver is a handler that ends its goroutine.
type leaver struct{ slog.Handler }

func (leaver) Handle(context.Context, slog.Record) error {
	goruntime.Goexit()
	return nil
}

// TestAuditEndsItsGoroutine: an audit log that ends the goroutine which calls it does not end the session.
func TestAuditEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv := serve(t, tool(t, "echo", echo))
		srv.Audit = slog.New(leaver{enabled{slog.DiscardHandler}})
		w, f := stream(t, srv)
		for i := range 5 {
			id := strconv.Itoa(i)
			w.trust(f, legacy(id, "tools/call", `"name":"echo"`))
			f.messages <- legacy(id, "tools/call", `"name":"echo"`)
			f.messages <- legacy("1"+id, "tools/call", `"name":"echo"`)
			w.want(`"result"`)
			w.want(`"result"`)
		}
	})
}

// TestAuditSlow: an audit log that takes long delays nobody who calls a quick tool: another goroutine reads on.
func TestAuditSlow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		srv, a := withAudit(t, tool(t, "echo", echo))
		w, f := stream(t, srv)
		w.trust(f, legacy("0", "tools/call", `"name":"echo"`))
		a.block = make(chan struct{})
		w.trust(f, legacy("1", "tools/call", `"name":"echo"`))
		begun := time.Now()
		w.trust(f, legacy("2", "tools/call", `"name":"echo"`))
		if took := time.Since(begun); took > 3*time.Millisecond {
			t.Errorf("the call took %v", took)
		}
		close(a.block)
		synctest.Wait()
		if diff := cmp.Diff([]string{"0", "1", "2"}, a.ids); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// TestAuditSender: each record names its sender once, whoever sent the one before, and whichever of the handlers of slog
// writes it.
func TestAuditSender(t *testing.T) {
	t.Parallel()
	meta := func(client string) string {
		return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
			`"io.modelcontextprotocol/clientInfo":{"name":"` + client + `","version":"2"}},`
	}
	senders := []string{"a", "a", "a", "b", "a", "b", "b", "", "", "a", "", "a", "a"} // "" is that of the handshake
	for name, handler := range map[string]func(io.Writer) slog.Handler{
		`"client":"%s"`: func(w io.Writer) slog.Handler { return slog.NewJSONHandler(w, nil) },
		`client=%s `:    func(w io.Writer) slog.Handler { return slog.NewTextHandler(w, nil) },
		`"g":{"principal":"","client":"%s"`: func(w io.Writer) slog.Handler {
			return slog.NewJSONHandler(w, nil).WithGroup("g")
		},
	} {
		var log bytes.Buffer
		srv := serve(t, tool(t, "echo", echo))
		srv.Audit = slog.New(handler(&log))
		w := open(t, srv)
		w.handshake("2025-11-25")
		for i, sender := range senders {
			params := `"name":"echo"`
			if sender != "" {
				params = meta(sender) + params
			}
			w.send(legacy(strconv.Itoa(i), "tools/call", params))
			w.want(`"result"`)
		}
		_ = w.session.Close(t.Context())
		lines := strings.Split(strings.TrimSpace(log.String()), "\n")
		if len(lines) != len(senders) {
			t.Fatalf("%d records, want %d: %s", len(lines), len(senders), log.String())
		}
		for i, sender := range senders {
			if sender == "" {
				sender = "tester"
			}
			record := slices.IndexFunc(lines, func(line string) bool { // a call may end after the next one
				return strings.Contains(line, fmt.Sprintf(`"request_id":"%d"`, i)) || strings.Contains(line, fmt.Sprintf("request_id=%d ", i))
			})
			if record < 0 {
				t.Fatalf("call %d has no record: %s", i, log.String())
			}
			if want := fmt.Sprintf(name, sender); strings.Count(lines[record], want) != 1 || strings.Count(lines[record], "client_version") != 1 {
				t.Errorf("the record of call %d has not %s once: %s", i, want, lines[record])
			}
		}
	}
}
