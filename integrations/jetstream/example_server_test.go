package jetstream_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/integrations/jetstream"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// serve serves over stdio and keeps tasks in the NATS server at address.
func serve(ctx context.Context, address string, opts ...stdio.Option) (err error) {
	js, err := jetstream.Connect(address, jetstream.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, js.Close()) }()
	return stdio.Serve(ctx, &runtime.Server{Name: "reports", Version: "1.0.0", Tasks: js.Tasks(), Bus: js.Bus()}, opts...)
}

// An instance of a server keeps its tasks in NATS, where the other instances find them.
func Example_server() {
	dir, err := os.MkdirTemp("", "nats")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(dir) }()
	address, err := unusedAddress()
	if err != nil {
		fmt.Println(err)
		return
	}
	nats, err := jetstream.Embedded(dir, jetstream.Node{Listen: address}, jetstream.Options{}) // in another process, as a rule
	if err != nil {
		fmt.Println(err)
		return
	}
	ping := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	err = serve(context.Background(), "nats://"+address, stdio.In(ping), stdio.Out(os.Stdout))
	if err := errors.Join(err, nats.Close()); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}
