package jwtauth_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// withAddress sets the address of the client from a header that only the reverse proxy in front can set.
func withAddress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if address, err := netip.ParseAddr(r.Header.Get("X-Real-IP")); err == nil {
			r = r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Address: address}))
		}
		next.ServeHTTP(w, r)
	})
}

// Behind a reverse proxy, middleware sets the address of the client, of which each has a share of the introspections.
func Example_address() {
	handler := withAddress(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(streamhttp.ClientAddress(r.Context())) // as for the verifier
	}))
	r := httptest.NewRequest(http.MethodPost, "/mcp", http.NoBody)
	r.RemoteAddr = "10.0.0.1:4711"
	r.Header.Set("X-Real-IP", "192.0.2.7")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: 192.0.2.7
}
