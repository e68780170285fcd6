package oauthproxy

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcptool-go/mcptool/internal/scope"
	"github.com/mcptool-go/mcptool/internal/setting"
)

// Config configures a [Proxy]. Issuer, Resources and Provider are required.
type Config struct {
	// Issuer is the issuer URL of the proxy and the prefix of its endpoints, such as
	// "https://mcp.example.com": https, or http for a loopback host, without a slash at the end.
	// The provider must know Issuer + "/callback" as the redirect URI of Provider.ClientID.
	Issuer string
	// Resources are the URIs of the servers that tokens are issued for, as in
	// [streamhttp.ProtectedResource]. If there is only one, it is the default of clients that do
	// not name a resource.
	Resources []string
	// Scopes are the scopes that clients may request, with descriptions for the consent page, which
	// may be "". A client that requests none gets all; others than these are not granted, and a
	// client that requests only others gets the error invalid_scope. By default there are none, and
	// requests for scopes are ignored.
	Scopes map[string]string
	// Provider authenticates the users.
	Provider Provider
	// Admit decides who gets tokens. It is called when the provider has authenticated a user, and
	// at each refresh; it may remove Scopes, and at a login change Principal and Tenant, but nothing else.
	// [ErrDenied], possibly wrapped, denies access; after another error the client may try again. By
	// default every user of the provider gets access, with every client: for a public provider, this
	// is everybody.
	Admit func(ctx context.Context, login *Login) error
	// DisableRegistration refuses clients that register (RFC 7591), also those that have registered
	// before, and DisableDocuments clients with a Client ID Metadata Document. By default both kinds
	// are accepted. Both together are a mistake.
	DisableRegistration, DisableDocuments bool
	// RedirectSchemes are the private-use URI schemes that redirect URIs may have, such as
	// "cursor": names in lower case, without the colon. Names of schemes that browsers handle
	// themselves, such as "javascript", are a mistake. The default is none: the specification allows
	// only https, and http for loopback.
	RedirectSchemes []string
	// Keys seal everything that clients and browsers store, including tokens and the ids of
	// clients. The first key seals, and every key opens. Instances that share a Store need the same
	// keys. The keys of a server, [runtime.Server.StateKeys], may be used here as well. By default
	// the process generates a random key, so that clients have to register and log in again after a
	// restart.
	Keys [][32]byte
	// Store stores the grants. The default is NewMemory(0).
	Store Store
	// AccessTTL is how long an access token is valid. The default, for zero, is one hour; less than zero is a mistake.
	AccessTTL time.Duration
	// LoginTTL is how long a client can refresh its tokens before the user has to log in again. The
	// default, for zero, is 30 days; less than zero is a mistake.
	LoginTTL time.Duration
	// RefreshGrace is how long after a refresh the refresh token that was used gets the current tokens again, without
	// a call of Admit: for a client that has not got the answer, or runs in several processes. After that, and for
	// older refresh tokens at any time, a second use counts as theft and ends the login. The default, for zero, is 30
	// seconds; [NoRefreshGrace] means none; less than zero and more than 5 minutes are mistakes.
	RefreshGrace time.Duration
	// DocumentTransport fetches Client ID Metadata Documents, which are cached for up to 5 minutes, and
	// the keys that they refer to. The default connects directly, and only to port 443 of public
	// addresses. A proxy that it uses has to refuse other addresses.
	DocumentTransport http.RoundTripper
	// Logger gets failures, and attempts to use a code or token twice; never a token. Failures are
	// logged at level error, but at most once a minute, and otherwise at level debug: anybody can
	// cause them. The default is [slog.Default].
	Logger *slog.Logger
}

// Provider is an identity provider at which the proxy is registered as a client.
type Provider struct {
	// Issuer is the issuer URL of the provider. Its endpoints are discovered at the first login
	// (OpenID Connect Discovery), unless Endpoint is set.
	Issuer string
	// ClientID and ClientSecret are the credentials of the proxy at the provider.
	ClientID, ClientSecret string
	// Scopes are requested from the provider. The default with OpenID Connect is "openid".
	Scopes []string
	// Endpoint and Identify are for a provider without OpenID Connect, such as GitHub. Identify
	// returns the id of the user, which must never change, and JSON for Login.Claims, or nil. By
	// default both are from the ID token.
	Endpoint oauth2.Endpoint
	Identify func(ctx context.Context, token *oauth2.Token) (subject string, claims json.RawMessage, err error)
	// HTTPClient sends the requests to the provider. The default has a timeout of 10 seconds.
	HTTPClient *http.Client
}

// Login is a user who logs in with a client, or whose client refreshes its tokens.
type Login struct {
	// Principal is the principal of the tokens: the issuer of the provider, "#", and the subject.
	Principal string
	// Tenant is the tenant of the tokens, which Admit sets at a login: for example from Claims. The
	// default, "", is none. It stays the same until the user logs in again.
	Tenant string `json:",omitempty"`
	// ClientID is the URL of the document of the client, or the id that it got when it registered.
	// ClientName is how it calls itself, which proves nothing.
	ClientID, ClientName string
	Scopes               []string // consented to; Admit cannot add others
	Resource             string
	// Refresh reports whether this is a refresh. Then Claims and Token are nil.
	Refresh bool `json:"-"`
	// Claims are the claims of the ID token, and Token is the response of the provider. The proxy
	// does not store them: a program that calls an API of the provider stores Token here. It must
	// never send it to a client.
	Claims json.RawMessage `json:"-"`
	Token  *oauth2.Token   `json:"-"`
}

// ErrDenied is the error with which [Config.Admit] denies access.
var ErrDenied = errors.New("access denied")

// NoRefreshGrace is the value of [Config.RefreshGrace] with which each second use of a refresh token ends the login.
const NoRefreshGrace = time.Nanosecond

// maxRefreshGrace is the maximum of Config.RefreshGrace, in which a stolen refresh token that was used is still of use.
const maxRefreshGrace = 5 * time.Minute

// setDefaults sets the defaults, and returns all mistakes.
func (c *Config) setDefaults() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(isSecure(c.Issuer) && !strings.ContainsAny(c.Issuer, "?#{}") && !strings.HasSuffix(c.Issuer, "/"),
		"Issuer %q must be an https URL without query, fragment and a slash at the end", c.Issuer)
	check(isSecure(c.Provider.Issuer), "Provider.Issuer %q must be an https URL", c.Provider.Issuer)
	check(c.Provider.ClientID != "", "Provider.ClientID is empty")
	endpoint := c.Provider.Endpoint
	check((endpoint.AuthURL == "") == (c.Provider.Identify == nil), "Provider.Endpoint and Provider.Identify need each other")
	check(c.Provider.Identify == nil || isSecure(endpoint.AuthURL) && isSecure(endpoint.TokenURL), "Provider.Endpoint must have https URLs")
	check(len(c.Resources) > 0, "Resources is empty")
	for _, resource := range c.Resources {
		check(isSecure(resource) && !strings.ContainsAny(resource, "?#"), "Resources: %q must be an https URL without query and fragment", resource)
	}
	for name := range c.Scopes {
		reason, fix := scope.Problem(name)
		check(reason == "", "Scopes: %q %s; %s", name, reason, fix)
	}
	for _, scheme := range c.RedirectSchemes {
		problem := schemeProblem(scheme)
		check(problem == "", "RedirectSchemes: %q %s", scheme, problem)
	}
	check(!c.DisableRegistration || !c.DisableDocuments, "DisableRegistration and DisableDocuments together refuse all clients")
	errs = append(errs,
		setting.NotNegative("AccessTTL", c.AccessTTL, "means the default, 1h0m0s"),
		setting.NotNegative("LoginTTL", c.LoginTTL, "means the default, 720h0m0s"),
		setting.NotNegative("RefreshGrace", c.RefreshGrace, "means the default, 30s, and NoRefreshGrace none"))
	check(c.RefreshGrace <= maxRefreshGrace, "RefreshGrace %v is more than %v", c.RefreshGrace, maxRefreshGrace)
	for _, key := range c.Keys {
		check(key != [32]byte{}, "Keys has a key of zeros")
	}
	if c.Provider.Scopes == nil && c.Provider.Identify == nil {
		c.Provider.Scopes = []string{"openid"}
	}
	if c.Store == nil {
		c.Store = NewMemory(0)
	}
	c.Provider.HTTPClient = cmp.Or(c.Provider.HTTPClient, &http.Client{Timeout: 10 * time.Second})
	c.Logger = cmp.Or(c.Logger, slog.Default())
	c.AccessTTL = cmp.Or(c.AccessTTL, time.Hour)
	c.LoginTTL = cmp.Or(c.LoginTTL, 30*24*time.Hour)
	if c.RefreshGrace = cmp.Or(c.RefreshGrace, 30*time.Second); c.RefreshGrace == NoRefreshGrace {
		c.RefreshGrace = 0
	}
	return errors.Join(errs...)
}

// schemeText matches a URI scheme as url.Parse returns it, in lower case.
var schemeText = regexp.MustCompile(`^[a-z][a-z0-9+.-]*$`)

// browserSchemes are schemes that browsers handle themselves, so that no application receives the code.
var browserSchemes = []string{"about", "blob", "data", "file", "filesystem", "ftp", "javascript", "mailto", "vbscript", "view-source", "ws", "wss"}

// schemeProblem returns why RedirectSchemes must not have a scheme and what to write instead, or "".
func schemeProblem(scheme string) string {
	name, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(scheme)), ":")
	switch {
	case name == "http" || name == "https":
		return "is not a private-use scheme; drop it: https is always allowed, and http for loopback"
	case slices.Contains(browserSchemes, name):
		return "is handled by browsers themselves, not by an application; write the scheme that the application has registered"
	case !schemeText.MatchString(name):
		return `is not a URI scheme; write a letter, then letters, digits, "+", "-" and ".", such as "cursor"`
	case name != scheme:
		return fmt.Sprintf("is not the name of a scheme in lower case; write %q", name)
	}
	return ""
}

// isSecure reports whether requests to a URL are encrypted or do not leave the machine.
func isSecure(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.User == nil && (u.Scheme == "https" && u.Hostname() != "" || loopback.MatchString(text))
}
