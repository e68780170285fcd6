package runtime_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestRefusedTasksAreNotKept: a call that cannot become a task is not kept until its endpoint ends.
//
//nolint:paralleltest // measures the memory of the process
func TestRefusedTasksAreNotKept(t *testing.T) {
	b := &blocker{release: make(chan struct{})}
	defer close(b.release)
	srv := serve(t, tool(t, "block", b.call, mcptool.Task(mcptool.TaskSupportRequired)))
	srv.Limits.Tasks.MaxRunning = 1
	endpoint := srv.Endpoint(t.Context())
	call(t, srv, endpoint, tasked("0", "tools/call", `,"name":"block"`))
	before := heapInUse()
	for i := range 60 {
		if last := call(t, srv, endpoint, tasked(fmt.Sprint(i), "tools/call", `,"name":"block","arguments":{"a":"`+strings.Repeat("x", 1<<20)+`"}`)); !strings.Contains(last, "too many tasks") {
			t.Fatalf("got %.300s, want too many tasks", last)
		}
	}
	if held := heapInUse() - before; held > 20<<20 {
		t.Errorf("the heap grew by %d MiB after 60 calls of 1 MiB, want at most 20 MiB", held>>20)
	}
	goruntime.KeepAlive(srv)
}

// call sends a caller's message to an endpoint, and returns the answer.
func call(t *testing.T, srv *runtime.Server, endpoint runtime.Endpoint, text string) string {
	t.Helper()
	x := newRecorder()
	m := srv.Read([]byte(text))
	m.Access = (*engine.Access)(&runtime.Access{Principal: "ann"})
	endpoint.Answer(t.Context(), m, x)
	<-x.done
	return x.last
}

// heapInUse returns the number of live heap bytes.
func heapInUse() int {
	goruntime.GC()
	goruntime.GC()
	var stats goruntime.MemStats
	goruntime.ReadMemStats(&stats)
	return int(stats.HeapAlloc)
}

// TestResultOfTaskGivenBackOnce: a tasks/result that ends while its client cancels it releases its slot once.
func TestResultOfTaskGivenBackOnce(t *testing.T) {
	t.Parallel()
	srv := taskServer(t, tool(t, "echo", echo, mcptool.Task(mcptool.TaskSupportRequired)))
	w := open(t, srv)
	w.handshake("2025-11-25")
	w.send(legacy("1", "tools/call", `"name":"echo","task":{}`))
	id, _ := taskOf(t, w.next())
	s := srv.Open(t.Context(), enginetest.Discard{})
	s.Receive([]byte(`{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`))
	s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	for i := range 20_000 {
		n := fmt.Sprint(i + 10)
		s.Receive([]byte(legacy(n, "tasks/result", `"taskId":"`+id+`"`)))
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + n + `}}`))
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if n := runtime.InFlight(srv); n != 0 {
		t.Errorf("%d calls in flight at the end, want 0", n)
	}
}

// TestCloseAwaitsFlush: Close waits until the goroutine that reads has delivered its answers, but at most for the grace
// period.
func TestCloseAwaitsFlush(t *testing.T) {
	t.Parallel()
	for _, reads := range []bool{false, true} {
		t.Run(fmt.Sprint("client reads again: ", reads), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				srv := serve(t)
				srv.Logger = slog.New(slog.NewTextHandler(&log, nil))
				c := &clogged{reading: make(chan struct{})}
				session := srv.Open(t.Context(), c)
				session.Receive([]byte(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}`)))
				c.shut.Store(true)
				f := &feed{messages: make(chan string, 2), err: io.EOF}
				f.messages <- legacy("1", "ping", "")
				f.messages <- `{"jsonrpc":"2.0","method":"notifications/initialized"}`
				done := make(chan error, 1)
				go func() { done <- session.ReceiveFrom(f) }()
				synctest.Wait()
				want := runtime.Limits{}.Resolved().CloseGrace
				if reads {
					want /= 2
					time.AfterFunc(want, func() { close(c.reading) })
				}
				begun := time.Now()
				if err := session.Close(t.Context()); err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took < want || took > want+time.Second {
					t.Errorf("Close took %v, want %v", took, want)
				}
				if blames := strings.Contains(log.String(), "the client does not read"); blames == reads {
					t.Errorf("client blamed = %t, want %t; log:\n%s", blames, !reads, &log)
				}
				if !reads {
					close(c.reading)
				}
				close(f.messages)
				<-done
			})
		})
	}
}
