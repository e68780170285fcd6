package streamhttp

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/scope"
)

// ProtectedResource describes a handler that wants access tokens, to clients that have to
// get one. It becomes the metadata document of RFC 9728, which anybody may read.
type ProtectedResource struct {
	// Resource is the URI of the handler as clients know it, from outside of every
	// proxy: "https://mcp.example.com/mcp". Tokens must have been issued for it. It has the scheme
	// https, or http on loopback, and neither query nor fragment.
	Resource string
	// AuthorizationServers are the issuers that give out tokens for it, as URLs; at least one.
	AuthorizationServers []string
	// Scopes are what a client should ask for to begin with, in the challenge and in the metadata. A client
	// that is granted less is shown fewer tools, so name what people commonly need, and
	// leave the rest to be asked for when it is. Those in Required are always among them.
	Scopes []string
	// Required are scopes without which nothing is served. The default is none: any valid
	// token can use the tools that need no scopes.
	Required []string
	// Name and Documentation are a name for people, and the URL of a page for developers; optional.
	Name          string
	Documentation string
}

// check returns every mistake, and the URI in canonical form.
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
		mistake("AuthorizationServers names none, so nobody could get a token")
	}
	for _, server := range p.AuthorizationServers {
		if u, err := url.Parse(server); err != nil || !isHost(u.Host) || !isSecure(u) {
			mistake("AuthorizationServers: %q is no https URL", server)
		}
	}
	for _, name := range slices.Concat(p.Scopes, p.Required) {
		if reason, fix := scope.Problem(name); reason != "" {
			mistake("the scope %q %s; %s", name, reason, fix)
		}
	}
	return resource, errors.Join(errs...)
}

// parseResource reads the URI of a resource, in the form in which two of the same are equal.
func parseResource(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is no URI")
	case u.Scheme == "" || u.Host == "":
		return nil, errors.New("it is no absolute URI")
	case !isHost(u.Host):
		return nil, errors.New("its host has a character that no host has")
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

// isHost reports whether host is one by RFC 3986, of which [url.Parse] lets three characters pass.
func isHost(host string) bool { return host != "" && !strings.ContainsAny(host, `"<>`) }

// isSecure reports whether nobody on the way to u can listen.
func isSecure(u *url.URL) bool {
	return u.Scheme == "https" || u.Scheme == "http" && isLoopbackHost(u.Hostname())
}
