package streamhttp

import (
	"fmt"
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

// originError is the reason to refuse a request that may come from a page of another site.
type originError struct{ header, value, option string }

// checkOrigin refuses requests that may come from pages of other sites.
func (c *config) checkOrigin(r *http.Request) *originError {
	name := hostname(r.Host)
	isLoopback := isLoopbackHost(name)
	isAllowed := func(allowed string) bool {
		return allowed == "*" || strings.EqualFold(allowed, r.Host) || strings.EqualFold(strings.Trim(allowed, "[]"), name)
	}
	switch {
	case c.protection != nil && name != "" && strings.EqualFold(name, c.protection.host):
	case len(c.hosts) == 0 && (isLoopback || !onLoopback(r)):
	case len(c.hosts) > 0 && (isLoopback && onLoopback(r) || slices.ContainsFunc(c.hosts, isAllowed)):
	default:
		return &originError{"Host", r.Host, "AllowHosts"}
	}
	origins := r.Header["Origin"]
	if len(origins) == 0 {
		return nil
	}
	if len(origins) > 1 || !c.isOriginAllowed(origins[0], onLoopback(r)) {
		return &originError{"Origin", strings.Join(origins, ", "), "AllowOrigins"}
	}
	return nil
}

// isOriginAllowed reports whether pages of this origin may use the server. Local is whether the request arrived on
// loopback.
func (c *config) isOriginAllowed(origin string, local bool) bool {
	if c.isOriginListed(origin) {
		return true
	}
	u, ok := parseOrigin(origin)
	return local && ok && (u.Scheme == "http" || u.Scheme == "https") && isLoopbackHost(hostname(u.Host))
}

// isOriginListed reports whether the origin is one of [AllowOrigins].
func (c *config) isOriginListed(origin string) bool {
	return slices.ContainsFunc(c.origins, func(allowed string) bool { return allowed == "*" || strings.EqualFold(allowed, origin) })
}

// parseOrigin parses an origin in the form that browsers send: a scheme and a host without any other part.
func parseOrigin(origin string) (*url.URL, bool) {
	u, err := url.Parse(origin)
	return u, err == nil && u.Scheme+"://"+u.Host == origin
}

// checkNames finds arguments of [AllowOrigins] and [AllowHosts] that no header can be equal to.
func (c *config) checkNames() {
	for i, name := range slices.Concat(c.origins, c.hosts) {
		option, origin, example := "AllowOrigins", strings.ToLower(name), "https://app.example.com"
		if i >= len(c.origins) {
			if ip, _ := netip.ParseAddr(name); ip.Is6() {
				origin = "[" + origin + "]"
			}
			option, origin, example = "AllowHosts", "mcp://"+origin, "mcp.example.com"
		}
		u, ok := parseOrigin(origin)
		hasDefault := ok && (u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80")
		if name != "*" && (!ok || hasDefault || hostname(u.Host) == "" || strings.ContainsAny(name, `*"<>`) || u.String() != origin) {
			c.mistakes = append(c.mistakes, fmt.Errorf("%s: nothing can match %q: write it as in %q, without a path or a default port", option, name, example))
		}
	}
}

// allowReading sets the headers that let a page of an allowed origin read the answer (CORS), and
// reports whether it did. It never allows credentials that browsers add, such as cookies.
func (c *config) allowReading(h http.Header, origin string) bool {
	switch {
	case header(h, "Access-Control-Allow-Origin") != "": // set by middleware
		return false
	case slices.Contains(c.origins, "*"):
		origin = "*"
	default:
		h.Add("Vary", "Origin")
		if !c.isOriginListed(origin) {
			return false
		}
	}
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", headerSession+", "+headerChallenge+", Retry-After")
	return true
}

// answerPreflight allows requests of pages with any header: the names of some depend on tools
// (Mcp-Param-*) or middleware. A wildcard does not include Authorization.
func answerPreflight(w http.ResponseWriter, methods string) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
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
