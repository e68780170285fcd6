package streamhttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Pages of the listed origins can use the server. A browser asks before it sends a request of a page.
func ExampleAllowOrigins() {
	srv := &runtime.Server{Name: "notes", Version: "1.0.0", Tools: &mcptool.Registry{}}
	handler, err := streamhttp.NewHandler(srv, streamhttp.AllowOrigins("https://app.example.com", "http://localhost:5173"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, origin := range []string{"https://app.example.com", "https://evil.example.com"} {
		r := httptest.NewRequest(http.MethodOptions, "https://mcp.example.com/mcp", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", http.MethodPost)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("Access-Control-Allow-Origin"))
	}
	// Output:
	// 204 https://app.example.com
	// 403
}
