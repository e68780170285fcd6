package tasktest_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/task"
	"github.com/mcptool-go/mcptool/task/tasktest"
)

// wholeRecords is an environment variable that is set for TestWholeRecords.
const wholeRecords = "TASKTEST_WHOLE_RECORDS"

// TestListsOfWholeRecords checks that a store is found whose List returns whole records.
func TestListsOfWholeRecords(t *testing.T) {
	t.Parallel()
	test := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestWholeRecords$/^heads$")
	test.Env = append(os.Environ(), wholeRecords+"=1")
	out, err := test.CombinedOutput()
	if err == nil {
		t.Error("the tests pass")
	}
	for _, want := range []string{`the Inputs of the task "asking"`, `the Durable of the task "asking"`, `the Result of the task "completed"`, `the Error of the task "failed"`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no test found %s:\n%s", want, out)
		}
	}
}

// TestWholeRecords is run by TestListsOfWholeRecords.
func TestWholeRecords(t *testing.T) {
	if os.Getenv(wholeRecords) == "" {
		t.Skip("lists have no whole records")
	}
	tasktest.Run(t, func(*testing.T) task.Store { return whole{task.NewMemory(task.MemoryLimits{})} })
}

// whole is a store whose List returns whole records.
type whole struct{ task.Store }

func (w whole) List(ctx context.Context, owner task.Owner, after string, limit int) ([]task.Record, error) {
	page, err := w.Store.List(ctx, owner, after, limit)
	for i := range page {
		if page[i], err = w.Get(ctx, page[i].ID); err != nil {
			return nil, err
		}
	}
	return page, err
}
