package streamhttp_test

import (
	"fmt"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// A server with mistakes is not served. The error lists all of them, of the server and of the options.
func ExampleNewHandler_mistakes() {
	srv := &runtime.Server{Tools: &mcptool.Registry{}, Revisions: []string{"2025-6-18"}, StateKeys: make([][32]byte, 1)}
	_, err := streamhttp.NewHandler(srv, streamhttp.AllowOrigins("app.example.com"))
	fmt.Println(err)
	// Output:
	// Server.Revisions: unknown revision "2025-6-18"; the supported revisions are 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28
	// Server.StateKeys: element 0 has only zeros; was it loaded?
	// AllowOrigins: nothing can match "app.example.com": write it as in "https://app.example.com", without a path or a default port
}
