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

// A server with its own protocol extension: clients see it in the capabilities and call its methods.
func ExampleExtension() {
	levels := func(ctx context.Context, _ struct{}) (map[string]string, error) {
		settings, _ := mcptool.Extension(ctx, "com.example/levels") // sent by the client
		return map[string]string{"client": string(settings)}, nil
	}
	srv := &runtime.Server{
		Name: "example", Version: "1.0.0", Tools: &mcptool.Registry{},
		Extensions: []runtime.Extension{{
			ID: "com.example/levels", Settings: map[string]int{"most": 3}, Required: true,
			Methods: []runtime.Method{{Name: "levels/get", Handle: runtime.Typed(levels)}},
		}},
	}
	if err := srv.Check(); err != nil {
		fmt.Println(err)
		return
	}
	input := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"levels/get","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{"extensions":{"com.example/levels":{"least":1}}}}}}`)
	if err := stdio.Serve(context.Background(), srv, stdio.In(input), stdio.Out(os.Stdout)); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"jsonrpc":"2.0","id":1,"result":{"client":"{\"least\":1}","resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"example","version":"1.0.0"}}}}
}
