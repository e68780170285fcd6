package runtime_test

import (
	"context"
	goruntime "runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/task"
)

// slowStore is a store that takes a second for each record.
type slowStore struct{ task.Store }

func (s slowStore) Get(ctx context.Context, id string) (task.Record, error) {
	time.Sleep(time.Second)
	return s.Store.Get(ctx, id)
}

func (s slowStore) List(ctx context.Context, principal, after string, limit int) ([]task.Record, error) {
	time.Sleep(time.Second)
	return s.Store.List(ctx, principal, after, limit)
}

// TestNoTurnWhileWaiting: long messages that wait, for a store or a tool, keep no processor from the long messages of
// another caller.
func TestNoTurnWhileWaiting(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 20<<10)
	for _, test := range []struct{ name, message, answer string }{
		{"a store", tasked("1", "tasks/get", `,"taskId":"none","pad":"`+pad+`"`), `"error"`},
		{"a tool", modern("1", "tools/call", `,"name":"sleep","arguments":{"text":"`+pad+`"}`), `"result"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				type arguments struct {
					Text string `json:"text"`
				}
				echoAfter := func(name string, d time.Duration) *mcptool.Tool {
					tool, err := mcptool.New(func(_ context.Context, in arguments) (arguments, error) {
						time.Sleep(d)
						return in, nil
					}, mcptool.Name(name))
					if err != nil {
						t.Fatal(err)
					}
					return tool
				}
				srv := serve(t, echoAfter("sleep", time.Second), echoAfter("echo", 0))
				srv.Tasks = slowStore{task.NewMemory(task.MemoryLimits{})}
				endpoint := srv.Endpoint(t.Context())
				send := func(principal, text string) *recorder {
					x := newRecorder()
					go endpoint.Answer(t.Context(), access(srv, text, principal), x)
					return x
				}
				waiting := make([]*recorder, goruntime.GOMAXPROCS(0)+1)
				for i := range waiting {
					waiting[i] = send("mallory", test.message)
				}
				synctest.Wait()
				began := time.Now()
				x := send("ann", modern("1", "tools/call", `,"name":"echo","arguments":{"text":"`+pad+`"}`))
				<-x.done
				if took := time.Since(began); took != 0 || !strings.Contains(x.last, `"structuredContent"`) {
					t.Errorf("after %v: %.200s", took, x.last)
				}
				for _, x := range waiting {
					if <-x.done; !strings.Contains(x.last, test.answer) || time.Since(began) != time.Second {
						t.Errorf("mallory gets, after %v: %.200s", time.Since(began), x.last)
					}
				}
			})
		})
	}
}
