package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/testscale"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
)

// observed collects what the funcs of durable tasks see, in all runs.
type observed struct {
	t      *testing.T
	mu     sync.Mutex
	rand   *rand.Rand
	values map[string]string
	runs   int
}

// see records a value, which must be equal in all runs.
func (o *observed) see(key, value string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before, twice := o.values[key]; twice && before != value {
		o.t.Errorf("%s changed from %s to %s", key, before, value)
	}
	o.values[key] = value
}

// below returns a random number below n.
func (o *observed) below(n int) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.rand.IntN(n)
}

// errand returns a tool that uses Once, asks and waits, and sometimes ignores the end of its context.
func (o *observed) errand(t *testing.T) *mcptool.Tool {
	t.Helper()
	type answer struct {
		Name string `json:"name"`
	}
	return tool(t, "errand", func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
		o.mu.Lock()
		o.runs++
		o.mu.Unlock()
		pause := func() {
			d := time.Duration(o.below(8000)) * time.Millisecond
			if o.below(4) == 0 {
				time.Sleep(d)
				return
			}
			select {
			case <-time.After(d):
			case <-ctx.Done():
			}
		}
		var seen []string
		for i := range 2 {
			pause()
			key := fmt.Sprint("once ", i)
			value, err := mcptool.Once(ctx, key, func(context.Context) (string, error) { pause(); return fmt.Sprint(o.below(1 << 62)), nil })
			if err != nil {
				return nil, err
			}
			o.see(string(args)+key, value)
			mcptool.Progress(ctx, float64(i), 2, "at "+key)
			got, err := mcptool.Elicit[answer](ctx, fmt.Sprint("Question ", i, " after ", value, "?"))
			if err != nil {
				return nil, err
			}
			o.see(string(args)+"answer "+strconv.Itoa(i), got.Name)
			seen = append(seen, value, got.Name)
		}
		pause()
		return says(strings.Join(seen, " ")), nil
	}, durably()...)
}

// TestDurableTorture disconnects, reconnects, shuts down and replaces instances at random while their clients answer
// questions. Each task must complete once, with the same values in all runs and with all accepted answers.
func TestDurableTorture(t *testing.T) {
	t.Parallel()
	for seed := range testscale.Count(20) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { torture(t, rand.New(rand.NewPCG(uint64(seed), 7))) })
		})
	}
}

func torture(t *testing.T, r *rand.Rand) {
	t.Helper()
	const tasks, steps, n = 8, 60, 3
	q := taskqueue.NewMemory(task.MemoryLimits{}, 0)
	o := &observed{t: t, rand: r, values: map[string]string{}}
	start := func() *runner {
		return runners(t, 1, q, func(int) *mcptool.Tool { return o.errand(t) }, func(srv *runtime.Server) { srv.Limits.Tasks.MaxAttempts = steps })[0]
	}
	all := []*runner{start(), start(), start()}
	clients := start() // disconnected from claiming, so it runs no tasks
	ids := map[string]int{}
	for i := range tasks {
		in := all[i%n]
		in.send(tasked("1", "tools/call", fmt.Sprintf(`,"name":"errand","arguments":{"n":%d}`, i)))
		id, _ := taskOf(t, in.next())
		ids[id] = i
	}
	answered := map[string]string{}
	answer := func() {
		for id, i := range ids {
			for message, key := range clients.inputs(id) {
				name := fmt.Sprintf("%d-%s", i, strings.Fields(message)[1])
				clients.update(id, key, name)
				answered[fmt.Sprintf(`{"n":%d}answer %s`, i, strings.Fields(message)[1])] = name
			}
		}
	}
	for range steps {
		time.Sleep(time.Duration(o.below(5000)) * time.Millisecond)
		switch in := o.below(n); o.below(6) {
		case 0:
			all[in].link.cut()
		case 1:
			all[in].link.mend()
		case 2: // replace the process
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(o.below(2000))*time.Millisecond)
			_ = all[in].srv.Shutdown(ctx)
			cancel()
			all[in] = start()
		case 3, 4:
			answer()
		}
	}
	for _, in := range all {
		in.link.mend()
	}
	for range 40 {
		time.Sleep(10 * time.Second)
		answer()
	}
	for id, i := range ids {
		rec, err := q.Get(t.Context(), id)
		if err != nil || rec.Status != task.StatusCompleted {
			t.Errorf("task %d: status %s, want completed: %s %s %+v, %v", i, rec.Status, rec.Message, rec.Result, rec.Durable, err)
			continue
		}
		arguments := fmt.Sprintf(`{"n":%d}`, i)
		for part := range 2 {
			for _, key := range []string{fmt.Sprint("once ", part), fmt.Sprint("answer ", part)} {
				if value := o.values[arguments+key]; value == "" || !strings.Contains(string(rec.Result), value) {
					t.Errorf("the result of task %d lacks %s %q: %s", i, key, value, rec.Result)
				}
			}
		}
	}
	for key, name := range answered {
		if o.values[key] != name {
			t.Errorf("%s: answered %q, the func got %q", key, name, o.values[key])
		}
	}
	t.Logf("%d tasks, %d runs", tasks, o.runs)
}
