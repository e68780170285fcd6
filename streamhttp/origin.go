package streamhttp

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// A page in the user's browser can send requests to any server that the browser can reach, including servers on
// loopback. If the host name of the page resolves to the address of the server, the page can also read the answers (DNS
// rebinding). Two headers that a page cannot forge reveal such requests: Origin and Host.

// checkOrigin refuses requests that may come from pages of other sites.
func (c *config) checkOrigin(r *http.Request) *httpError {
	name := hostname(r.Host)
	isLoopback := isLoopbackHost(name)
	isAllowed := func(allowed string) bool {
		return allowed == "*" || strings.EqualFold(allowed, r.Host) || strings.EqualFold(allowed, name)
	}
	switch {
	case len(c.hosts) == 0 && (isLoopback || !onLoopback(r)):
	case len(c.hosts) > 0 && (isLoopback && onLoopback(r) || slices.ContainsFunc(c.hosts, isAllowed)):
	default:
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

// isOriginAllowed reports whether pages of this origin may use the server. Local is whether the request arrived on
// loopback.
func (c *config) isOriginAllowed(origin string, local bool) bool {
	if slices.ContainsFunc(c.origins, func(allowed string) bool {
		return allowed == "*" || strings.EqualFold(allowed, origin)
	}) {
		return true
	}
	u, err := url.Parse(origin)
	// Compared with the form that browsers send: a scheme and a host without any other part.
	return local && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Scheme+"://"+u.Host == origin && isLoopbackHost(hostname(u.Host))
}

// onLoopback reports whether the request arrived on a loopback address.
func onLoopback(r *http.Request) bool {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	tcp, ok := addr.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostname returns a Host header without its port and brackets. It returns "" for an IPv6 address without brackets,
// which cannot be separated from a port.
func hostname(host string) string {
	name := (&url.URL{Host: host}).Hostname()
	if strings.Contains(name, ":") && !strings.HasPrefix(host, "[") {
		return ""
	}
	return name
}

// isLoopbackHost reports whether a name always refers to this machine. Addresses with a zone are excluded, because no
// client sends one.
func isLoopbackHost(name string) bool {
	if name == "127.0.0.1" || strings.EqualFold(name, "localhost") { // common cases, without parsing an address
		return true
	}
	ip, err := netip.ParseAddr(name)
	return err == nil && ip.IsLoopback() && ip.Zone() == ""
}
