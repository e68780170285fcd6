package boltstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/tasks"
	"github.com/mcptool-go/mcptool/stdio"
)

// serve serves over stdio and keeps tasks in the file at path. Tasks that run at the end have one more second. Then durable
// ones are left to the next process, and others fail.
func serve(ctx context.Context, path string, opts ...stdio.Option) error {
	store, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		return err
	}
	srv := &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: tasks.New(store)}
	err = stdio.Serve(ctx, srv, opts...)
	ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	return errors.Join(err, srv.Shutdown(ending), store.Close())
}

// A server keeps its tasks in a file.
func Example_server() {
	dir, err := os.MkdirTemp("", "tasks")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ping := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := serve(context.Background(), filepath.Join(dir, "tasks.db"), stdio.In(ping), stdio.Out(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}
