package streamhttp_test

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// withToken lets requests with a fixed token pass, as those of the principal "ci".
func withToken(token string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "unknown token", http.StatusUnauthorized)
			return
		}
		access := runtime.Access{Principal: "ci", Scopes: []string{"notes:read"}}
		next.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), access)))
	})
}

type tenantKey struct{}

// withTenant puts the tenant of a request into its context, which is that of the call.
func withTenant(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := context.WithValue(r.Context(), tenantKey{}, r.Header.Get("X-Tenant"))
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Middleware authenticates callers, and passes values to tools.
func ExampleWithAccess() {
	tool, err := mcptool.New(func(ctx context.Context, _ struct{}) (string, error) {
		tenant, _ := ctx.Value(tenantKey{}).(string)
		return mcptool.Caller(ctx).Principal + " reads the notes of " + tenant, nil
	}, mcptool.Name("read_notes"), mcptool.Scopes("notes:read"))
	if err != nil {
		fmt.Println(err)
		return
	}
	tools := &mcptool.Registry{}
	if err := tools.Add(tool); err != nil {
		fmt.Println(err)
		return
	}
	handler := withToken("s3cret", withTenant(streamhttp.NewHandler(&runtime.Server{Tools: tools})))

	for _, token := range []string{"guess", "s3cret"} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_notes"}}`))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25",
			"Authorization": "Bearer " + token, "X-Tenant": "acme",
		} {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 401 unknown token
	// 200 {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"result":"ci reads the notes of acme"},"content":[{"type":"text","text":"ci reads the notes of acme"}]}}
}
