package boltstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mcptool-go/mcptool/integrations/boltstore"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// serve serves over stdio and keeps tasks in the file at path.
func serve(ctx context.Context, path string, opts ...stdio.Option) (err error) {
	store, err := boltstore.Open(path, boltstore.Limits{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return stdio.Serve(ctx, &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: store}, opts...)
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
