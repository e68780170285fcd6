package tasktest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/taskqueue"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// ignoredMethod is the environment variable with the method that ignores its context in TestIgnoring.
const ignoredMethod = "TASKTEST_IGNORED_METHOD"

// TestIgnoredContexts checks that the tests find each method that ignores its context.
func TestIgnoredContexts(t *testing.T) {
	t.Parallel()
	for _, method := range []string{"Create", "Get", "Update", "Wait", "List", "Delete", "Claim", "Renew", "Release"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			if waits := method == "Wait" || method == "Claim"; waits && testing.Short() {
				t.Skip("takes 5 s")
			}
			test := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestIgnoring$/^contexts?$")
			test.Env = append(os.Environ(), ignoredMethod+"="+method)
			out, err := test.CombinedOutput()
			if err == nil || !strings.Contains(string(out), method+" ") {
				t.Errorf("got %v\n%s", err, out)
			}
		})
	}
}

// TestIgnoring is run by TestIgnoredContexts.
func TestIgnoring(t *testing.T) {
	method := os.Getenv(ignoredMethod)
	if method == "" {
		t.Skip("no method ignores its context")
	}
	tasktest.RunQueue(t, func(*testing.T) task.Queue {
		return ignoring{taskqueue.NewMemory(task.MemoryLimits{}, time.Second), method}
	})
}

// ignoring is a queue with a method that ignores its context.
type ignoring struct {
	task.Queue
	method string
}

func (i ignoring) ctx(ctx context.Context, method string) context.Context {
	if method == i.method {
		return context.WithoutCancel(ctx)
	}
	return ctx
}

func (i ignoring) Create(ctx context.Context, r task.Record) error {
	return i.Queue.Create(i.ctx(ctx, "Create"), r)
}

func (i ignoring) Get(ctx context.Context, id string) (task.Record, error) {
	return i.Queue.Get(i.ctx(ctx, "Get"), id)
}

func (i ignoring) Update(ctx context.Context, r task.Record) (task.Record, error) {
	return i.Queue.Update(i.ctx(ctx, "Update"), r)
}

func (i ignoring) Wait(ctx context.Context, id string, seen uint64) (task.Record, error) {
	return i.Queue.Wait(i.ctx(ctx, "Wait"), id, seen)
}

func (i ignoring) List(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	return i.Queue.List(i.ctx(ctx, "List"), owner, after, limit)
}

func (i ignoring) Delete(ctx context.Context, id string) error {
	return i.Queue.Delete(i.ctx(ctx, "Delete"), id)
}

func (i ignoring) Claim(ctx context.Context, owner string) (task.Record, error) {
	return i.Queue.Claim(i.ctx(ctx, "Claim"), owner)
}

func (i ignoring) Renew(ctx context.Context, id string, epoch uint64) error {
	return i.Queue.Renew(i.ctx(ctx, "Renew"), id, epoch)
}

func (i ignoring) Release(ctx context.Context, id string, epoch uint64, why string) error {
	return i.Queue.Release(i.ctx(ctx, "Release"), id, epoch, why)
}
