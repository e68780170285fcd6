package streamhttp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// withCertificate lets requests with a client certificate pass, as those of its subject. The server verifies it with
// ClientAuth and ClientCAs of its tls.Config.
func withCertificate(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
			http.Error(w, "a client certificate is required", http.StatusForbidden)
			return
		}
		subject := r.TLS.PeerCertificates[0].Subject.CommonName
		access := runtime.Access{Principal: subject, Scopes: []string{"notes:read"}}
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
	handler, err := streamhttp.NewHandler(&runtime.Server{Tools: tools})
	if err != nil {
		fmt.Println(err)
		return
	}
	protected := withCertificate(withTenant(handler))

	certificate := &x509.Certificate{Subject: pkix.Name{CommonName: "ci"}}
	verified := &tls.ConnectionState{
		PeerCertificates: []*x509.Certificate{certificate}, VerifiedChains: [][]*x509.Certificate{{certificate}},
	}
	for _, connection := range []*tls.ConnectionState{nil, verified} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_notes"}}`))
		for name, value := range map[string]string{
			"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25",
			"X-Tenant": "acme",
		} {
			r.Header.Set(name, value)
		}
		r.TLS = connection // net/http sets it
		w := httptest.NewRecorder()
		protected.ServeHTTP(w, r)
		fmt.Println(w.Code, strings.TrimSpace(w.Body.String()))
	}
	// Output:
	// 403 a client certificate is required
	// 200 {"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"result":"ci reads the notes of acme"},"content":[{"type":"text","text":"ci reads the notes of acme"}]}}
}
