package boltstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/task"
)

// A server that stops leaves its tasks in the file, and the next one finds them. The example calls the
// methods of the store that a server with the store in its field Tasks calls.
func Example() {
	if err := stopAndGoOn(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// export: completed, {"content":[]}
	// report: failed, the server stopped before the task was done
}

func stopAndGoOn(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	path := filepath.Join(dir, "tasks.db")

	store, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		return err
	}
	for _, id := range []string{"export", "report"} {
		now := time.Now()
		r := task.Record{ID: id, Status: task.StatusWorking, Created: now, Updated: now, TTL: time.Hour, Version: 1}
		if err := store.Create(ctx, r); err != nil {
			return err
		}
	}
	_, err = task.Change(ctx, store, "export", func(r *task.Record) error {
		r.Status, r.Result = task.StatusCompleted, []byte(`{"content":[]}`)
		return nil
	})
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}

	if store, err = boltstore.Open(path, boltstore.Limits{}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	for _, id := range []string{"export", "report"} {
		r, err := store.Get(ctx, id)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s, %s%s\n", id, r.Status, r.Message, r.Result)
	}
	return nil
}
