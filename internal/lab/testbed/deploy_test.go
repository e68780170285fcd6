package testbed

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestDeploy serves behind nginx with the configuration of docs/operations.md: a stream is not buffered, and bodies of up
// to 16 MiB are passed on.
func TestDeploy(t *testing.T) {
	t.Parallel()
	path, err := FindNginx()
	if err != nil {
		t.Skip(err)
	}
	handler, err := streamhttp.NewHandler(&runtime.Server{Tools: &mcptool.Registry{}})
	if err != nil {
		t.Fatal(err)
	}
	backend := httptest.NewServer(handler)
	t.Cleanup(backend.Close)
	client := startDeployed(t, path, backend.Listener.Addr().String())
	const call = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	response := send(t, client, "subscriptions/listen", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+call))
	defer func() { _ = response.Body.Close() }()
	line, err := bufio.NewReader(response.Body).ReadString('\n') // the stream stays open
	if err != nil || !strings.Contains(line, "acknowledged") {
		t.Errorf("subscription: got %s, %q and error %v", response.Status, line, err)
	}
	const largest = 16 << 20
	for size, want := range map[int]int{largest: http.StatusBadRequest, largest + 1: http.StatusRequestEntityTooLarge} {
		response := send(t, client, "tools/list", bytes.NewReader(bytes.Repeat([]byte(" "), size)))
		text, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || response.StatusCode != want {
			t.Errorf("body of %d bytes: got %s, %s and error %v, want status %d", size, response.Status, text, err, want)
		}
	}
}

// startDeployed starts nginx in front of a server, and returns a client that trusts its certificate and dials it.
func startDeployed(t *testing.T, path, server string) *http.Client {
	t.Helper()
	addrs, err := FreeAddrs(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	n := &Nginx{Addr: addrs[0]}
	dir := t.TempDir()
	issuer := httptest.NewTLSServer(nil) // for its certificate, which is valid for *.example.com
	issuer.Close()
	cert := issuer.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(cert.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	site, err := os.ReadFile("../../../examples/http/deploy/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	// Bodies stay in memory: if root starts nginx, its workers run as another user, who cannot enter dir.
	conf := "daemon off;\npid nginx.pid;\nevents {}\nhttp {\naccess_log off;\nclient_body_buffer_size 32m;\n"
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		conf += kind + "_temp_path " + kind + ";\n"
	}
	conf += strings.NewReplacer("listen 443", "listen "+n.Addr, "/etc/ssl/", dir+"/", "127.0.0.1:8080", server).Replace(string(site)) + "}\n"
	for name, text := range map[string][]byte{
		"mcp.example.com.pem": pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Certificate[0]}),
		"mcp.example.com.key": pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}),
		"nginx.conf":          []byte(conf),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := n.start(t.Context(), path, filepath.Join(dir, "nginx.conf"), os.Stderr); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = n.Stop() })
	roots := x509.NewCertPool()
	roots.AddCert(issuer.Certificate())
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, network, n.Addr)
		},
	}}
}

// send posts a message to the public URL of the server.
func send(t *testing.T, client *http.Client, method string, body io.Reader) *http.Response {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://mcp.example.com/mcp", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header = http.Header{
		"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {method},
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	return response
}
