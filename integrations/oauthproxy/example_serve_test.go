package oauthproxy_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/mcptool-go/mcptool/integrations/oauthproxy"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serve serves tools and logins until ctx ends. streamhttp.ListenAndServe does the same with an address.
func serve(ctx context.Context, l net.Listener, srv *runtime.Server, proxy *oauthproxy.Proxy, guard *streamhttp.Protection) error {
	return streamhttp.Serve(ctx, l, srv, guard, streamhttp.HTTPServer(func(_ *http.Server, mux *http.ServeMux) {
		mux.Handle("/", proxy) // the paths of the server, such as /mcp and /healthz, take precedence
	}))
}

// The proxy and the server share a listener, its timeouts, and its graceful shutdown.
func Example_serve() {
	proxy, err := oauthproxy.New(oauthproxy.Config{
		Issuer:    "https://mcp.example.com",
		Resources: []string{"https://mcp.example.com/mcp"},
		Provider:  oauthproxy.Provider{Issuer: "https://accounts.google.com", ClientID: "notes", ClientSecret: "s3cret", Scopes: []string{"openid"}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	guard, err := streamhttp.Protect(proxy.Verify, streamhttp.ProtectedResource{
		Resource:             "https://mcp.example.com/mcp",
		AuthorizationServers: []string{"https://mcp.example.com"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	served := make(chan error, 1)
	srv := &runtime.Server{Name: "notes", Version: "1.0.0", Tools: &mcptool.Registry{}, Logger: slog.New(slog.DiscardHandler)}
	go func() { served <- serve(ctx, l, srv, proxy, guard) }()
	for _, path := range []string{"/healthz", "/mcp", streamhttp.MetadataPath + "/mcp", "/.well-known/oauth-authorization-server"} {
		res, err := http.Get("http://" + l.Addr().String() + path)
		if err == nil {
			err = res.Body.Close()
		}
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(res.StatusCode, path)
	}
	stop()
	fmt.Println(<-served)
	// Output:
	// 200 /healthz
	// 401 /mcp
	// 200 /.well-known/oauth-protected-resource/mcp
	// 200 /.well-known/oauth-authorization-server
	// <nil>
}
