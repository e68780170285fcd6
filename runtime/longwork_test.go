package runtime_test

import (
	"context"
	"encoding/json"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/task"
)

// slowStore is a store that takes a second for Get and List.
type slowStore struct{ task.Store }

func (s slowStore) Get(ctx context.Context, id string) (task.Record, error) {
	time.Sleep(time.Second)
	return s.Store.Get(ctx, id)
}

func (s slowStore) List(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	time.Sleep(time.Second)
	return s.Store.List(ctx, owner, after, limit)
}

// TestNoTurnWhileWaiting: long messages that wait for a store or a tool do not use the slots that long messages of other
// callers need.
func TestNoTurnWhileWaiting(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat("x", 20<<10)
	for _, test := range []struct{ name, message, answer string }{
		{"store", tasked("1", "tasks/get", `,"taskId":"none","pad":"`+pad+`"`), `"error"`},
		{"tool", modern("1", "tools/call", `,"name":"sleep","arguments":{"text":"`+pad+`"}`), `"result"`},
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
				srv.Tasks = tasks.New(slowStore{task.NewMemory(task.MemoryLimits{})})
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
					t.Errorf("answered after %v, want 0: %.200s", took, x.last)
				}
				for _, x := range waiting {
					if <-x.done; !strings.Contains(x.last, test.answer) || time.Since(began) != time.Second {
						t.Errorf("mallory was answered after %v, want 1s: %.200s", time.Since(began), x.last)
					}
				}
			})
		})
	}
}

// element is encoded as a text of a kilobyte; element 500 takes a second.
type element int

func (e element) MarshalJSON() ([]byte, error) {
	if e == 500 {
		time.Sleep(time.Second)
	}
	return json.Marshal(strings.Repeat("x", 1<<10))
}

// countedElement is an element that counts its encodings. Only one test uses it, because others run at the same time.
type countedElement element

var elements atomic.Int64

func (e countedElement) MarshalJSON() ([]byte, error) {
	elements.Add(1)
	return element(e).MarshalJSON()
}

// TestResultsTakeTurns: long results are encoded only in a slot, and not at all if the client has disconnected. Without a
// slot, only enough is encoded to detect that they are long.
func TestResultsTakeTurns(t *testing.T) {
	t.Parallel()
	const calls, length, seen = 50, 1000, callctx.Long>>10 + 1
	list := make([]countedElement, length)
	for i := range list {
		list[i] = countedElement(i)
	}
	for name, tool := range map[string]*mcptool.Tool{
		"typed":    returning(t, "x", list),
		"a Result": returning(t, "x", &mcptool.Result{Structured: list}, mcptool.OutputType[[]countedElement]()),
		"checked":  returning(t, "x", &mcptool.Result{Structured: list}, mcptool.OutputSchema(json.RawMessage(`{"type":"array","items":{"type":"string"}}`))),
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // the counter is shared
			synctest.Test(t, func(t *testing.T) {
				elements.Store(0)
				srv := serve(t, tool)
				endpoint := srv.Endpoint(t.Context())
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				all := make([]*recorder, calls)
				for i := range all {
					all[i] = newRecorder()
					go endpoint.Answer(ctx, access(srv, modern("1", "tools/call", `,"name":"x","arguments":{}`), "mallory"), all[i])
				}
				synctest.Wait()
				places := max(goruntime.GOMAXPROCS(0)-1, 1)
				if n, most := elements.Load(), int64(calls*seen+places*(length/2+1)); n > most {
					t.Errorf("%d elements were encoded, want at most %d", n, most)
				}
				leave()
				for _, x := range all {
					<-x.done
				}
				if n, most := elements.Load(), int64(calls*seen+places*length); n > most {
					t.Errorf("%d elements were encoded after the disconnect, want at most %d", n, most)
				}
				x := newRecorder()
				go endpoint.Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"x","arguments":{}`), "mallory"), x)
				if <-x.done; !strings.Contains(x.last, `"structuredContent":["xxx`) {
					t.Errorf("a later call got %.200s", x.last)
				}
			})
		})
	}
}

// matching returns a tool whose argument text must match pattern.
func matching(t *testing.T, name, pattern string) *mcptool.Tool {
	t.Helper()
	tool, err := mcptool.NewRaw(name, json.RawMessage(`{"type":"object","properties":{"text":{"type":"string","pattern":"`+pattern+`"}}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return new(mcptool.Result), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// TestLongWorkTakesTurns: other long answers than results also wait for a slot, and so do short arguments that are costly
// to check. Fast requests are answered at once.
func TestLongWorkTakesTurns(t *testing.T) { //nolint:paralleltest // TestResultsTakeTurns counts elements
	list := make([]element, 501)
	list[500] = 500
	tools := []*mcptool.Tool{
		returning(t, "slow", list),
		matching(t, "match", strings.Repeat("[ab]{0,900}", 5)),
		returning(t, "job", strings.Repeat("x", 20<<10), mcptool.Task(mcptool.TaskSupportRequired)),
	}
	for i := range 20 {
		tools = append(tools, returning(t, "other"+strconv.Itoa(i), "", mcptool.Description(strings.Repeat("x", 1<<10))))
	}
	for _, test := range []struct {
		request, answer string
		took            time.Duration
	}{
		{modern("1", "tools/list", ""), `"tools":[`, time.Second},
		{tasked("1", "tasks/get", `,"taskId":"TASK"`), `"status":"completed"`, time.Second},
		{tasked("1", "tasks/cancel", `,"taskId":"TASK"`), `"complete"`, 0},
		{modern("1", "server/discover", ""), `"supportedVersions"`, 0},
		{modern("1", "tools/call", `,"name":"other1"`), `"content"`, 0},
		{modern("1", "tools/call", `,"name":"match","arguments":{"text":"`+strings.Repeat("a", 100)+`"}`), `"content"`, time.Second},
		{modern("1", "tools/call", `,"name":"match","arguments":{}`), `"content"`, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			srv := serve(t, tools...)
			srv.Tasks = tasks.New(task.NewMemory(task.MemoryLimits{}))
			endpoint := srv.Endpoint(t.Context())
			send := func(principal, text string) *recorder {
				x := newRecorder()
				go endpoint.Answer(t.Context(), access(srv, text, principal), x)
				return x
			}
			made := send("ann", tasked("1", "tools/call", `,"name":"job"`))
			<-made.done
			id, _ := taskOf(t, made.last)
			synctest.Wait()
			slow := make([]*recorder, max(goruntime.GOMAXPROCS(0)-1, 1))
			for i := range slow {
				slow[i] = send("mallory", modern("1", "tools/call", `,"name":"slow"`))
			}
			synctest.Wait() // mallory has all slots
			began := time.Now()
			x := send("ann", strings.ReplaceAll(test.request, "TASK", id))
			if <-x.done; time.Since(began) != test.took || !strings.Contains(x.last, test.answer) {
				t.Errorf("%s: answered after %v, want %v: %.200s", test.request, time.Since(began), test.took, x.last)
			}
			for _, x := range slow {
				<-x.done
			}
		})
	}
}

// TestSlotWithinSlot: a result that calls another tool while it is encoded does not wait for its own slot.
func TestSlotWithinSlot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		inner := returning(t, "inner", slices.Repeat([]string{strings.Repeat("x", 1<<10)}, 100))
		outer, err := mcptool.New(func(ctx context.Context, _ struct{}) ([]calling, error) {
			return slices.Repeat([]calling{{ctx, inner}}, 3), nil
		}, mcptool.Name("outer"), mcptool.OutputSchema(json.RawMessage(`{}`)))
		if err != nil {
			t.Fatal(err)
		}
		srv := serve(t, outer)
		x := newRecorder()
		go srv.Endpoint(t.Context()).Answer(t.Context(), access(srv, modern("1", "tools/call", `,"name":"outer","arguments":{}`), "ann"), x)
		if <-x.done; !strings.Contains(x.last, `"structuredContent":[["xxx`) {
			t.Errorf("got %.200s", x.last)
		}
	})
}

// calling is encoded as the result of a tool.
type calling struct {
	ctx  context.Context //nolint:containedctx // for the call
	tool *mcptool.Tool
}

func (c calling) MarshalJSON() ([]byte, error) {
	result, err := c.tool.Call(c.ctx, nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result.Structured)
}
