package runtime_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

type order struct {
	ID    int    `json:"id"`
	State string `json:"state"`
}

type orderList struct {
	Orders []order `json:"orders"`
}

func listOrders(context.Context, struct{}) (orderList, error) {
	return orderList{Orders: []order{{ID: 7, State: "sent"}}}, nil
}

// A server answers requests that the protocol does not define with custom methods.
func ExampleMethod() {
	srv := &runtime.Server{
		Name: "example", Version: "1.0.0", Tools: &mcptool.Registry{},
		Methods: []runtime.Method{
			{Name: "com.example/orders", Handle: runtime.Typed(listOrders)},
		},
	}
	input := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"com.example/orders","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	if err := stdio.Serve(context.Background(), srv, stdio.In(input), stdio.Out(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"orders":[{"id":7,"state":"sent"}],"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"example","version":"1.0.0"}}}}
}
