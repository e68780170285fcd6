package streamhttp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/scope"
)

// ProtectedResource describes a handler that requires access tokens. It is published as the protected resource metadata
// of RFC 9728, from which clients learn how to obtain a token.
type ProtectedResource struct {
	// Resource is the URI of the handler that clients use, such as "https://mcp.example.com/mcp"; if there are proxies,
	// the URI of the outermost. Tokens must have been issued for it. The scheme is https, or http for a loopback host;
	// a query, fragment or user is not allowed. It is required.
	Resource string
	// AuthorizationServers are the issuer URLs of the authorization servers that issue tokens for the resource: https,
	// or http for a loopback host. At least one is required.
	AuthorizationServers []string
	// Scopes are the scopes that a client should request at first. They are in the WWW-Authenticate header and in the
	// metadata, together with those in Required. A client with fewer scopes sees fewer tools, so list the scopes that
	// most users need; clients can request others when a call needs them. The default is none.
	Scopes []string
	// Required are the scopes that every request needs. The default is none: any valid token is enough for tools
	// without scopes.
	Required []string
	// Name is the display name of the resource, and Documentation the URL of a page for developers. Both are optional.
	Name          string
	Documentation string
}

// check returns the URI in canonical form, and all mistakes.
func (p *ProtectedResource) check() (*url.URL, error) {
	var errs []error
	mistake := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	resource, err := parseResource(p.Resource)
	if err == nil && resource.RawQuery != "" {
		err = errors.New("it has a query")
	}
	if err == nil && !isSecure(resource) {
		err = errors.New("its scheme must be https")
	}
	if err != nil {
		mistake("Resource %q: %w", p.Resource, err)
	}
	if len(p.AuthorizationServers) == 0 {
		mistake("AuthorizationServers is empty, so clients cannot get a token")
	}
	for _, server := range p.AuthorizationServers {
		if u, err := url.Parse(server); err != nil || !isHost(u.Host) || !isSecure(u) {
			mistake("AuthorizationServers: %q is not an https URL", server)
		}
	}
	for _, name := range slices.Concat(p.Scopes, p.Required) {
		if reason, fix := scope.Problem(name); reason != "" {
			mistake("the scope %q %s; %s", name, reason, fix)
		}
	}
	return resource, errors.Join(errs...)
}

// parseResource parses the URI of a resource into canonical form.
func parseResource(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URI")
	case u.Scheme == "" || u.Host == "":
		return nil, errors.New("it is not an absolute URI")
	case !isHost(u.Host):
		return nil, errors.New("its host contains a character that is not allowed")
	case u.User != nil || strings.Contains(text, "#"):
		return nil, errors.New("it has a fragment or a user")
	}
	u.Host = strings.ToLower(u.Host)
	if port := u.Port(); u.Scheme == "https" && port == "443" || u.Scheme == "http" && port == "80" {
		u.Host = strings.TrimSuffix(u.Host, ":"+port)
	}
	u.Path, u.RawPath = strings.TrimRight(u.Path, "/"), strings.TrimRight(u.RawPath, "/")
	return u, nil
}

// isHost reports whether host is valid. [url.Parse] accepts three characters that RFC 3986 does not allow.
func isHost(host string) bool { return host != "" && !strings.ContainsAny(host, `"<>`) }

// isSecure reports whether requests to u are encrypted or do not leave the machine.
func isSecure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && isLoopbackHost(u.Hostname())
}
