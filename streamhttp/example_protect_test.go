package streamhttp_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// With Protect, a handler requires an access token, and refers clients to the authorization server.
func ExampleProtect() {
	verify := func(_ context.Context, token string) (streamhttp.Token, error) {
		// A real verifier checks the signature of a JWT, or asks the issuer.
		if token != "s3cret" {
			return streamhttp.Token{}, streamhttp.ErrInvalidToken
		}
		return streamhttp.Token{
			Principal: "ada",
			Scopes:    []string{"notes:read"},
			Expiry:    time.Now().Add(time.Hour),
			Audience:  []string{"https://mcp.example.com/mcp"},
		}, nil
	}
	guard, err := streamhttp.Protect(verify, streamhttp.ProtectedResource{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://auth.example.com"},
		Scopes:               []string{"notes:read"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	srv := &runtime.Server{Name: "notes", Version: "1.0.0", Tools: &mcptool.Registry{}}
	handler, err := streamhttp.NewHandler(srv, guard)
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", handler)
	mux.Handle(streamhttp.MetadataPath, guard.Metadata())
	mux.Handle(streamhttp.MetadataPath+"/", guard.Metadata())

	for _, r := range []*http.Request{
		httptest.NewRequest(http.MethodPost, "https://mcp.example.com/mcp", nil),
		httptest.NewRequest(http.MethodGet, "https://mcp.example.com/.well-known/oauth-protected-resource/mcp", nil),
	} {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Code, w.Header().Get("WWW-Authenticate"))
	}
	// Output:
	// 401 Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="notes:read"
	// 200
}
