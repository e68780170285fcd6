package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/integrations/jetstream/embedded"
	"github.com/mcptool-go/mcptool/task"
)

// A program without a NATS server of its own keeps its tasks in a directory. What a server does with the store of its field
// Tasks is done by hand here.
func Example_embedded() {
	if err := keep(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output: export: working
}

func keep(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	js, err := embedded.Open(dir, embedded.Node{}, jetstream.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, js.Close()) }()
	now := time.Now()
	r := task.Record{ID: "export", Status: task.StatusWorking, Created: now, Updated: now, TTL: time.Hour, Version: 1}
	if err := js.Tasks().Create(ctx, r); err != nil {
		return err
	}
	if r, err = js.Tasks().Get(ctx, "export"); err != nil {
		return err
	}
	fmt.Printf("%s: %s\n", r.ID, r.Status)
	return nil
}
