package streamhttp

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// hostPort matches a Host header as RFC 3986 defines it: a name or address, and an optional port.
var hostPort = regexp.MustCompile(`^(?:\[([0-9a-fA-F:.]+)\]|([^\[\]:@/?#]*))(?::[0-9]*)?$`)

// isLoopback reports whether a Host header names this machine for every resolver.
func isLoopback(host string) bool {
	parts := hostPort.FindStringSubmatch(host)
	if parts == nil {
		return false
	}
	name := parts[1] + parts[2]
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
}

// isLoopbackOrigin reports whether a browser sends this Origin header for a page from loopback.
func isLoopbackOrigin(origin string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if host, ok := strings.CutPrefix(origin, scheme); ok {
			return isLoopback(host)
		}
	}
	return false
}

// FuzzSender: on loopback, a request with another host or origin than the allowed ones is refused. Requests from
// loopback itself are served.
func FuzzSender(f *testing.F) {
	for _, host := range []string{"localhost", "LOCALHOST:80", "127.0.0.1:1234", "[::1]", "[::1]:80", "127.0.0.1.evil.example", "localhost.evil.example", "localhost:80:80", "localhost@evil.example", "evil.example#localhost", "mcp.example.com:8443", "", "[::1", "[::ffff:127.0.0.1]", "2130706433", "127.1", "[::1%25lo]", "::1%0", "[::1%#]"} {
		for _, origin := range []string{"", "http://localhost:6274", "https://evil.example", "http://localhost@evil.example", "http://evil.example\\@localhost", "null", "http://[::1]", "http://localhost/", "HTTP://LOCALHOST", "https://app.example.com", "a\nb"} {
			f.Add(host, origin, true, false)
			f.Add(host, origin, false, true)
		}
	}
	bare, listed := newConfig(nil), newConfig([]Option{AllowHosts("mcp.example.com", "other.example.com:8080"), AllowOrigins("https://app.example.com")})
	here := context.WithValue(f.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv6loopback, Port: 80}))
	away := context.WithValue(f.Context(), http.LocalAddrContextKey, net.Addr(&net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 80}))
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, host, origin string, local, lists bool) {
		defer watch()()
		r := (&http.Request{Host: host, Header: http.Header{}}).WithContext(away)
		if local {
			r = r.WithContext(here)
		}
		setLines(r.Header, "Origin", origin)
		c, hostFits, originFits := &bare, !local || isLoopback(host), local && isLoopbackOrigin(origin)
		if lists {
			c = &listed
			name, _, _ := strings.Cut(strings.ToLower(host), ":")
			hostFits = local && isLoopback(host) || hostPort.MatchString(host) && name == "mcp.example.com" || strings.EqualFold(host, "other.example.com:8080")
			originFits = originFits || strings.EqualFold(origin, "https://app.example.com")
		}
		want := hostFits && (originFits || len(r.Header["Origin"]) == 0)
		if err := c.checkOrigin(r); (err == nil) != want {
			t.Errorf("host %q, origin %q, on loopback %t, with lists %t: error %v, want accepted = %t", host, r.Header["Origin"], local, lists, err, want)
		}
	})
}
