package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
)

// whereRun returns the tool nap, which records by its arguments whether a call runs in the goroutine that reads.
func whereRun(t *testing.T) (_ *mcptool.Tool, readers *sync.Map) {
	t.Helper()
	readers = new(sync.Map)
	return tool(t, "nap", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		stack := make([]byte, 1<<12)
		stack = stack[:goruntime.Stack(stack, false)]
		readers.Store(string(args), strings.Contains(string(stack), "reading"))
		return nap(ctx, args)
	}), readers
}

// numbered returns a call of the tool of whereRun that returns at once, with the arguments numberedArguments(n).
func numbered(n int) string {
	return legacy(fmt.Sprint(n), "tools/call", `"name":"nap","arguments":`+numberedArguments(n))
}

func numberedArguments(n int) string { return fmt.Sprintf(`{"Millis":0,"n":%d}`, n) }

// TestSlowToolIsForgiven: the calls of a tool that was slow run in the goroutine that reads again
// after several fast calls.
func TestSlowToolIsForgiven(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, readers := whereRun(t)
		w, f := stream(t, serve(t, tool))
		w.trust(f, napCall(1, 50))
		for n := range 20 {
			w.trust(f, numbered(n))
		}
		for n, want := range map[int]bool{0: false, 7: false, 8: true, 19: true} {
			if got, _ := readers.Load(numberedArguments(n)); got != want {
				t.Errorf("fast call %d ran in the goroutine that reads: %v, want %v", n, got, want)
			}
		}
	})
}

// sluggish is a [runtime.Conn] whose client reads slowly.
type sluggish struct{ parcels }

func (s *sluggish) Flush() error {
	time.Sleep(20 * time.Millisecond)
	return s.parcels.Flush()
}

func (s *sluggish) Notify(msg []byte) error {
	s.post(msg)
	return s.Flush()
}

func (s *sluggish) Respond(msg []byte, end engine.End) error {
	held := end
	held.More = true
	if err := s.parcels.Respond(msg, held); err != nil || end.More || msg == nil {
		return err
	}
	return s.Flush()
}

// TestSlowClientIsNoSlowTool: calls of a fast tool run in the goroutine that reads although the client reads slowly.
func TestSlowClientIsNoSlowTool(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tool, readers := whereRun(t)
		session := serve(t, tool).Open(t.Context(), &sluggish{})
		session.Receive([]byte(legacy("0", "initialize", `"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}`)))
		f := &feed{messages: make(chan string, 10), err: io.EOF}
		done := make(chan error, 1)
		go func() { done <- session.ReceiveFrom(f) }()
		for n := range 5 {
			f.messages <- numbered(n)
			time.Sleep(time.Second)
		}
		close(f.messages)
		<-done
		_ = session.Close(t.Context())
		for n, want := range []bool{false, true, true, true, true} {
			if got, _ := readers.Load(numberedArguments(n)); got != want {
				t.Errorf("call %d ran in the goroutine that reads: %v, want %v", n, got, want)
			}
		}
	})
}
