package streamhttp_test

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestSender checks which Host and Origin headers are accepted. A page cannot forge either.
func TestSender(t *testing.T) {
	t.Parallel()
	loopback := &net.TCPAddr{IP: net.IPv6loopback, Port: 80}
	public := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
	socket := &net.UnixAddr{Name: "/run/mcp", Net: "unix"}
	origins, hosts := streamhttp.AllowOrigins("https://app.example.com"), streamhttp.AllowHosts("mcp.example.com", "other.example.com:8080")
	tests := []struct {
		name         string
		addr         net.Addr
		options      []streamhttp.Option
		host, origin string
		want         int
	}{
		{"loopback, IPv4 address", loopback, nil, "127.0.0.1:1234", "", 200},
		{"loopback, IPv6 address", loopback, nil, "[::1]:1234", "", 200},
		{"loopback, by name", loopback, nil, "LocalHost", "", 200},
		{"T-HTTPL-04 loopback, by a name that resolves to it", loopback, nil, "evil.example", "", 403},
		{"T-HTTPL-04 loopback, by a similar name", loopback, nil, "localhost.evil.example", "", 403},
		{"loopback, by a name that starts with an address", loopback, nil, "127.0.0.1.evil.example", "", 403},
		{"loopback, from its own page", loopback, nil, "127.0.0.1:80", "http://127.0.0.1:80", 200},
		{"loopback, from a page of another port", loopback, nil, "127.0.0.1:80", "http://localhost:6274", 200},
		{"T-HTTPL-02 T-HTTPM-02 loopback, from another origin", loopback, nil, "127.0.0.1:80", "https://evil.example", 403},
		{"loopback, from a similar origin", loopback, nil, "127.0.0.1:80", "https://localhost.evil.example", 403},
		{"loopback, from a file", loopback, nil, "127.0.0.1:80", "null", 403},
		{"loopback, from an extension", loopback, nil, "127.0.0.1:80", "chrome-extension://localhost", 403},
		{"loopback, invalid origin", loopback, nil, "127.0.0.1:80", "://", 403},
		{"loopback, behind a proxy", loopback, []streamhttp.Option{hosts}, "mcp.example.com", "", 200},
		{"loopback, behind a proxy, by loopback name", loopback, []streamhttp.Option{hosts}, "localhost", "", 200},
		{"loopback, behind a proxy, other name", loopback, []streamhttp.Option{hosts}, "evil.example", "", 403},
		{"loopback, any name", loopback, []streamhttp.Option{streamhttp.AllowHosts("*")}, "evil.example", "", 200},
		{"any address, any name", public, nil, "mcp.example.com", "", 200},
		{"any address, from a page", public, nil, "evil.example", "http://evil.example", 403},
		{"any address, from a loopback page", public, nil, "mcp.example.com", "http://localhost", 403},
		{"listed host", public, []streamhttp.Option{hosts}, "MCP.example.com:443", "", 200},
		{"listed host and port", public, []streamhttp.Option{hosts}, "other.example.com:8080", "", 200},
		{"listed host, other port", public, []streamhttp.Option{hosts}, "other.example.com", "", 403},
		{"listed IPv6 address", public, []streamhttp.Option{streamhttp.AllowHosts("fd00::5")}, "[FD00::5]:8080", "", 200},
		{"listed IPv6 address in brackets", public, []streamhttp.Option{streamhttp.AllowHosts("[fd00::5]")}, "[fd00::5]:8080", "", 200},
		{"listed IPv6 address, without a port", public, []streamhttp.Option{streamhttp.AllowHosts("fd00::5")}, "[fd00::5]", "", 200},
		{"listed IPv6 address and port", public, []streamhttp.Option{streamhttp.AllowHosts("[fd00::5]:8080")}, "[fd00::5]:8080", "", 200},
		{"listed IPv6 address, other port", public, []streamhttp.Option{streamhttp.AllowHosts("[fd00::5]:8080")}, "[fd00::5]:80", "", 403},
		{"another IPv6 address", public, []streamhttp.Option{streamhttp.AllowHosts("fd00::5")}, "[fd00::6]:8080", "", 403},
		{"loopback is not listed", public, []streamhttp.Option{hosts}, "localhost", "", 403},
		{"listed origin", public, []streamhttp.Option{origins}, "mcp.example.com", "https://app.example.com", 200},
		{"listed origin, other scheme", public, []streamhttp.Option{origins}, "mcp.example.com", "http://app.example.com", 403},
		{"listed origin, other port", public, []streamhttp.Option{origins}, "mcp.example.com", "https://app.example.com:8443", 403},
		{"any origin", public, []streamhttp.Option{streamhttp.AllowOrigins("*")}, "mcp.example.com", "https://evil.example", 200},
		{"Unix socket, any host", socket, nil, "anything", "", 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			server := serveAt(t, test.addr, fixtureServer(t, nil), test.options...)
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "", "Host", test.host, "Origin", test.origin))
			if response.status != test.want {
				t.Errorf("status %d, want %d", response.status, test.want)
			}
		})
	}
}

// TestProtectedHost checks that the host of the protected resource is allowed, as a sidecar or tunnel forwards it over
// loopback.
func TestProtectedHost(t *testing.T) {
	t.Parallel()
	public := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}
	tests := []struct {
		name     string
		addr     net.Addr
		resource string
		hosts    []string // of AllowHosts
		host     string
		want     int
	}{
		{"host of the resource", loopback, resource, nil, "mcp.example.com", 200},
		{"other case", loopback, resource, nil, "MCP.Example.com", 200},
		{"port of the proxy", loopback, resource, nil, "mcp.example.com:8443", 200},
		{"loopback name", loopback, resource, nil, "localhost:8080", 200},
		{"another host", loopback, resource, nil, "evil.example", 403},
		{"subdomain", loopback, resource, nil, "a.mcp.example.com", 403},
		{"no host", loopback, resource, nil, ":80", 403},
		{"IPv6 resource", loopback, "https://[fd00::5]:8443/mcp", nil, "[fd00::5]", 200},
		{"with AllowHosts", loopback, resource, []string{"other.example.com"}, "mcp.example.com", 200},
		{"with AllowHosts, another host", loopback, resource, []string{"other.example.com"}, "evil.example", 403},
		{"with AllowHosts, on another address", public, resource, []string{"other.example.com"}, "mcp.example.com", 200},
		{"any host on another address", public, resource, nil, "192.0.2.1", 200},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			token := streamhttp.Token{Principal: "ada", Audience: []string{test.resource}}
			guard, err := streamhttp.Protect(
				func(context.Context, string) (streamhttp.Token, error) { return token, nil },
				streamhttp.ProtectedResource{Resource: test.resource, AuthorizationServers: []string{"https://auth.example.com"}})
			if err != nil {
				t.Fatal(err)
			}
			options := []streamhttp.Option{guard}
			if test.hosts != nil {
				options = append(options, streamhttp.AllowHosts(test.hosts...))
			}
			server := serveAt(t, test.addr, fixtureServer(t, nil), options...)
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with("x", heading("tools/list", "", "Host", test.host)))
			if response.status != test.want {
				t.Errorf("status %d, want %d", response.status, test.want)
			}
		})
	}
}

// TestRefusedOriginLog checks that a refused value is logged with the option that would allow it, at level info at most
// once a minute, so that a client cannot flood the log.
func TestRefusedOriginLog(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ header, value, option string }{
		{"Origin", "https://app.example.com", "AllowOrigins"},
		{"Host", "mcp.example.com", "AllowHosts"},
		{"Origin", strings.Repeat("x", 10_000), "AllowOrigins"},
	} {
		t.Run(test.header, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var log syncbuffer.Buffer
				logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
				server := serve(t, notes(t, logger), streamhttp.AllowOrigins("https://other.example.com"))
				for i := range 10 {
					if i == 9 {
						time.Sleep(time.Minute)
					}
					bodyOf(t, server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "", test.header, test.value)))
				}
				text := log.String()
				want := "msg=\"request refused: the value of the " + test.header + " header is not allowed\" value=" + test.value[:min(200, len(test.value))] + " option=streamhttp." + test.option
				if n := strings.Count(text, want); n != 10 {
					t.Errorf("%d records, want 10 with %s: %s", n, want, text)
				}
				if n := strings.Count(text, "level=INFO "); n != 2 || !strings.Contains(text, "suppressed=8") || strings.Contains(text, "level=ERROR") {
					t.Errorf("%d records at level info, want 2 with the number of suppressed ones: %s", n, text)
				}
			})
		})
	}
}
