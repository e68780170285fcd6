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

// balance hands requests to instances: those that need no session in turn, the others to the
// first, for a session lives in one process. In the end it checks that all have had their turn,
// if any had. It returns where it listens.
func balance(t *testing.T, instances ...*runtime.Server) string {
	t.Helper()
	targets := make([]*url.URL, len(instances))
	for i, instance := range instances {
		srv := httptest.NewServer(streamhttp.NewHandler(instance))
		t.Cleanup(srv.Close)
		var err error
		if targets[i], err = url.Parse(srv.URL); err != nil {
			t.Fatal(err)
		}
	}
	var turns atomic.Int64
	front := httptest.NewServer(&httputil.ReverseProxy{
		Transport: transport(t),
		Rewrite: func(r *httputil.ProxyRequest) {
			i := 0
			if r.In.Header.Get("Mcp-Method") != "" { // which older clients do not send
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

// inMemory returns a body that has been read. Without it the proxy now and then cuts off an answer
// (golang.org/issue/40747): an instance begins to answer when it has what Content-Length promised, the
// proxy's server closes the body that came in as soon as it passes that on, and the proxy's client, which
// looks once more for the end of that body, then gives up the connection.
func inMemory(t *testing.T, body io.Reader) io.ReadCloser {
	t.Helper()
	text, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	return io.NopCloser(bytes.NewReader(text))
}
