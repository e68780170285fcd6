package main

import (
	"bytes"
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// balance distributes requests to instances: those without a session in turn, the others to the first, since a session
// lives in one process. At the end it checks that either all instances have had a turn or none has. It returns its
// address.
func balance(t *testing.T, instances ...*runtime.Server) string {
	t.Helper()
	targets := make([]*url.URL, len(instances))
	for i, instance := range instances {
		handler, err := streamhttp.NewHandler(instance)
		if err != nil {
			t.Fatal(err)
		}
		srv := httptest.NewServer(handler)
		t.Cleanup(srv.Close)
		if targets[i], err = url.Parse(srv.URL); err != nil {
			t.Fatal(err)
		}
	}
	var turns atomic.Int64
	front := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport(t),
		Rewrite: func(r *httputil.ProxyRequest) {
			i := 0
			if r.In.Header.Get("Mcp-Method") != "" { // older clients do not send this header
				i = int(turns.Add(1)) % len(targets)
			}
			r.SetURL(targets[i])
			r.Out.Body = inMemory(t, r.In.Body)
		},
	})
	t.Cleanup(func() {
		front.Close()
		if n := int(turns.Load()); n > 0 && n < len(targets) {
			t.Errorf("%d requests for %d instances", n, len(targets))
		}
	})
	return front.URL
}

// inMemory returns a body that has been read completely. Without it, the proxy sometimes cuts off a response
// (golang.org/issue/40747): an instance starts to respond once it has read Content-Length bytes, the proxy's server
// then closes the incoming body while passing the response on, and the proxy's client, which reads that body once more
// to find its end, closes the connection.
func inMemory(t *testing.T, body io.Reader) io.ReadCloser {
	t.Helper()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	return io.NopCloser(bytes.NewReader(text))
}
