package stdio_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/stdio"
)

// Serve can read from any reader and write to any writer. It answers the
// requests received before the end of the input.
func ExampleServe() {
	srv := &runtime.Server{Name: "weather", Version: "1.2.3"}
	in := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := stdio.Serve(context.Background(), srv, stdio.In(in), stdio.Out(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	// Output: {"jsonrpc":"2.0","id":1,"result":{}}
}
