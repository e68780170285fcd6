package runtime_test

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// printer is the smallest transport: what the session sends is printed.
type printer struct{}

func (printer) Send(msg []byte) error {
	_, err := fmt.Printf("%s\n", msg)
	return err
}

// A transport needs little: hand the session each message that comes in, give it an
// Outbox for those that go out, and close it in the end.
func Example_transport() {
	srv := &runtime.Server{Name: "example", Version: "1.0.0", Tools: &mcptool.Registry{}}
	session := srv.Open(context.Background(), printer{})
	session.Receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	session.Receive([]byte(`{"jsonrpc":"2.0","id":2,"method":`))
	if err := session.Close(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{}}
	// {"jsonrpc":"2.0","id":2,"error":{"code":-32700,"message":"invalid JSON at byte 33: it ends too early"}}
}
