package boltstore_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/internal/testing/child"
	"github.com/mcptool-go/mcptool/internal/testing/fixture/booking"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
)

// serving is the environment variable that makes the test run as a server to be killed.
const serving = "BOLTSTORE_SERVING"

type (
	doubleIn struct {
		_       struct{} `mcp:"name=double,task=required"`
		N       int      `json:"n"`
		Minutes bool     `json:"minutes,omitempty"`
	}
	doubleOut struct {
		Double int `json:"double"`
	}
)

// double works for minutes if asked to, and otherwise briefly.
func double(ctx context.Context, in doubleIn) (doubleOut, error) {
	if in.Minutes {
		mcptool.Progress(ctx, 1, 2, "half of it")
		<-ctx.Done()
	}
	return doubleOut{Double: 2 * in.N}, ctx.Err()
}

// TestKillServer repeatedly kills a server with kill -9 in the middle of its tasks and queries the next one: each task
// that a client knows of exists, those it saw completed with the same result, the others completed or with an error
// that has the reason.
func TestKillServer(t *testing.T) {
	if path := os.Getenv(serving); path != "" {
		serveTasks(t, path)
		return
	}
	t.Parallel()
	rounds := 50
	if testing.Short() {
		rounds = 3
	}
	path := filepath.Join(t.TempDir(), "tasks.db")
	told := map[string]*toldTask{} // by id
	for round := range rounds {
		p := startPeer(t, path)
		for id, task := range told {
			task.judge(t, id, p.get(id))
		}
		for n := range 6 {
			task := &toldTask{n: 10*round + n, minutes: n%3 == 2}
			told[p.create(task)] = task
		}
		for id, task := range told {
			if task.ended == nil && !task.minutes && round%2 == 0 {
				task.judge(t, id, p.awaitEnd(id))
			}
		}
		time.Sleep(time.Duration(round%10) * time.Millisecond) // at some point in the remaining work
		p.kill()
	}
	p := startPeer(t, path)
	defer p.kill()
	counts := map[string]int{}
	for id, task := range told {
		task.judge(t, id, p.get(id))
		counts[task.ended.Status]++
	}
	if counts["completed"] == 0 || counts["failed"] == 0 || counts["completed"]+counts["failed"] != len(told) {
		t.Errorf("%d tasks have ended as %v: not all ends, or not all tasks, were tried", len(told), counts)
	}
}

// serveTasks serves until it is killed.
func serveTasks(t *testing.T, path string) {
	t.Helper()
	store, err := boltstore.Open(path, boltstore.Limits{Lock: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	tool, err := mcptool.New(double)
	if err != nil {
		t.Fatal(err)
	}
	durable, err := mcptool.New(booking.Book)
	if err != nil {
		t.Fatal(err)
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(tool, durable); err != nil {
		t.Fatal(err)
	}
	srv := &runtime.Server{Name: "double", Version: "1.0.0", Tools: tools, Tasks: tasks.New(store)}
	srv.Limits.Tasks.MaxAttempts = 1000 // each of them is killed
	if err := stdio.Serve(t.Context(), srv); err != nil {
		t.Error(err)
	}
}

// toldTask is a task that a client knows of.
type toldTask struct {
	n       int
	minutes bool
	ended   *detailedTask // as last seen by the client; nil while working
}

// detailedTask contains the members of a tasks/get result that the test uses.
type detailedTask struct {
	Status string
	Result *struct{ StructuredContent doubleOut }
	Error  *struct{ Message string }
}

// judge checks the state of a task as reported by a server.
func (k *toldTask) judge(t *testing.T, id string, now detailedTask) {
	t.Helper()
	switch {
	case k.ended != nil:
		if diff := cmp.Diff(*k.ended, now); diff != "" {
			t.Errorf("task %s has ended otherwise (-before +now):\n%s", id, diff)
		}
		return
	case now.Status == "completed":
		if k.minutes || now.Result == nil || now.Result.StructuredContent.Double != 2*k.n || now.Error != nil {
			t.Errorf("task %s of %+v has no such result: %+v", id, *k, now)
		}
	case now.Status == "failed":
		if now.Result != nil || now.Error == nil || !strings.Contains(now.Error.Message, "the server stopped before the task was done") {
			t.Errorf("task %s has no honest end: %+v", id, now)
		}
	default:
		t.Errorf("task %s, of a server that was killed, is %s", id, now.Status)
	}
	k.ended = &now
}

// peer is a server in a separate process, with its client.
type peer struct {
	*child.Process
	t     *testing.T
	lines *bufio.Scanner
	guard *time.Timer // kills a server that does not answer
}

func startPeer(t *testing.T, path string) *peer {
	t.Helper()
	p := &peer{Process: child.Start(t, "TestKillServer", serving, path), t: t}
	p.lines = bufio.NewScanner(p.Out)
	p.guard = time.AfterFunc(time.Minute, func() { _ = p.Process.Process.Kill() })
	return p
}

// kill kills the process with SIGKILL.
func (p *peer) kill() {
	p.guard.Stop()
	p.Kill()
}

// request sends a request of a client that supports tasks and decodes the response into result.
func (p *peer) request(method, params string, result any) {
	p.t.Helper()
	if _, err := fmt.Fprintf(p.In, `{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,%s}}`+"\n", method, params, booking.Meta); err != nil {
		p.t.Fatal(err)
	}
	if !p.lines.Scan() {
		p.t.Fatalf("no answer to %s %s: %v", method, params, p.lines.Err())
	}
	var m struct {
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal(p.lines.Bytes(), &m); err != nil || m.Error != nil {
		p.t.Fatalf("%s %s: %s, %v", method, params, p.lines.Bytes(), err)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		p.t.Fatal(err)
	}
}

// create makes the server create a task and returns its id.
func (p *peer) create(k *toldTask) string {
	p.t.Helper()
	var created struct{ TaskID string }
	p.request("tools/call", fmt.Sprintf(`"name":"double","arguments":{"n":%d,"minutes":%t}`, k.n, k.minutes), &created)
	if created.TaskID == "" {
		p.t.Fatal("no task was created")
	}
	return created.TaskID
}

// get returns the current state of the task.
func (p *peer) get(id string) (task detailedTask) {
	p.t.Helper()
	p.request("tasks/get", fmt.Sprintf(`"taskId":%q`, id), &task)
	return task
}

// awaitEnd returns the task when it has ended.
func (p *peer) awaitEnd(id string) detailedTask {
	p.t.Helper()
	for {
		if task := p.get(id); task.Status != "working" {
			return task
		}
		time.Sleep(time.Millisecond)
	}
}
