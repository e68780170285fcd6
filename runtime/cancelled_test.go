package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/tasks"
)

// TestCancelledCallIsSilent cancels a call while one of its messages is being sent,
// and the tool returns at once. The call must not be answered: the TypeScript SDKs
// report a response to a cancelled request as an error.
func TestCancelledCallIsSilent(t *testing.T) {
	t.Parallel()
	sending, release, told := make(chan struct{}), make(chan struct{}), make(chan struct{})
	heeds := func(ctx context.Context, _ json.RawMessage) (*mcptool.Result, error) {
		context.AfterFunc(ctx, func() { told <- struct{}{} })
		mcptool.Progress(ctx, 1, 2, "half")
		return &mcptool.Result{}, nil
	}
	w := &wire{t: t, out: make(chan string, 1<<10)}
	w.session = serve(t, tool(t, "heeds", heeds)).Open(t.Context(), enginetest.Conn{Send: func(msg []byte) error {
		if strings.Contains(string(msg), "notifications/progress") {
			sending <- struct{}{}
			<-release
			return nil
		}
		return w.Notify(msg)
	}})
	w.handshake("2025-11-25")
	for i := range 100 {
		w.send(legacy(fmt.Sprint(i), "tools/call", fmt.Sprintf(`"name":"heeds","_meta":{"progressToken":%d}`, i)))
		<-sending
		cancelled := make(chan struct{})
		go func() {
			defer close(cancelled)
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}()
		<-told
		release <- struct{}{}
		<-cancelled
		w.send(`{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
		w.want(`{"jsonrpc":"2.0","id":"ping","result":{}}`)
		if t.Failed() {
			return
		}
	}
	if err := w.session.Close(t.Context()); err != nil {
		t.Error(err)
	}
	w.quiet()
}

// TestTaskCancelledBeforeStored: the cancellation of a call whose task is being created does not wait for the store.
func TestTaskCancelledBeforeStored(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newObstructed()
		store.set("Create", func(context.Context) { time.Sleep(50 * time.Millisecond) })
		store.set("Delete", untilDone)
		srv := taskServer(t, brief(t))
		srv.Tasks = tasks.New(store)
		w, f := stream(t, srv)
		f.messages <- tasked("1", "tools/call", `,"name":"brief"`)
		synctest.Wait()
		begun := time.Now()
		f.messages <- `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		f.messages <- legacy("2", "ping", "")
		w.want(`"id":2`)
		if waited := time.Since(begun); waited > 3*time.Millisecond {
			t.Errorf("the ping was answered after %v, want at most 3ms", waited)
		}
		time.Sleep(time.Minute)
		w.quiet()
	})
}
