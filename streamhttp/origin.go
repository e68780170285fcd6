package streamhttp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A page in the user's browser can send requests to any server that the browser can reach,
// also to one on loopback that other machines cannot reach. If its own name resolves to
// the address of that server, it can read the answers, too (DNS rebinding). Two
// headers that a page cannot forge reveal such requests: Origin and Host.

// checkOrigin refuses requests that pages of foreign sites may have sent.
func (c *config) checkOrigin(r *http.Request) *httpError {
	if !c.isHostAllowed(r) {
		return newError(http.StatusForbidden, "the Host header names a host that is not allowed")
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return nil
	}
	if len(origins) > 1 || !c.isOriginAllowed(origins[0], onLoopback(r)) {
		return newError(http.StatusForbidden, "the Origin header names an origin that is not allowed")
	}
	return nil
}

// isHostAllowed reports whether the request may name its host.
func (c *config) isHostAllowed(r *http.Request) bool {
	name := hostname(r.Host)
	isLoopback := isLoopbackHost(name)
	if len(c.hosts) == 0 {
		return isLoopback || !onLoopback(r)
	}
	return isLoopback && onLoopback(r) || slices.ContainsFunc(c.hosts, func(allowed string) bool {
		return allowed == "*" || strings.EqualFold(allowed, r.Host) || strings.EqualFold(allowed, name)
	})
}

// isOriginAllowed reports whether pages of this origin may use the server.
func (c *config) isOriginAllowed(origin string, local bool) bool {
	if slices.ContainsFunc(c.origins, func(allowed string) bool {
		return allowed == "*" || strings.EqualFold(allowed, origin)
	}) {
		return true
	}
	u, err := url.Parse(origin)
	// As browsers write it: a scheme and a host, and nothing else that could hold a name.
	return local && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Scheme+"://"+u.Host == origin && isLoopbackHost(hostname(u.Host))
}

// onLoopback reports whether the request came in by a loopback address.
func onLoopback(r *http.Request) bool {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostname returns a Host header without its port, and without brackets. It returns "" for an IPv6 address without
// brackets, where the port cannot be told from the address.
func hostname(host string) string {
	name := (&url.URL{Host: host}).Hostname()
	if strings.Contains(name, ":") && !strings.HasPrefix(host, "[") {
		return ""
	}
	return name
}

// isLoopbackHost reports whether a name always means this machine. An address with a zone does not: no client sends
// a zone.
func isLoopbackHost(name string) bool {
	if name == "127.0.0.1" || strings.EqualFold(name, "localhost") { // without reading it as an address
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback() && ip.Zone() == ""
}
