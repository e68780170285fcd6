package jwtauth

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// Options are the settings of a [Verifier]. Only Issuer is required.
type Options struct {
	// Issuer is the identifier of the authorization server, exactly as in the claim iss of its
	// tokens, with or without a slash at the end. It is an https URL without a query, or http for a
	// loopback host. It is required.
	Issuer string
	// Resource is the Resource of the [streamhttp.ProtectedResource]. It is required with Audiences
	// and with Introspection.AllowNoAudience, and otherwise has no effect. The default is none.
	Resource string
	// Audiences are values of the claim aud that mean this server, besides the URI of its resource:
	// for issuers that write a client ID there. They must not be the audience of any other server.
	// The default is none.
	Audiences []string
	// AllowUntyped also accepts tokens whose header has the typ "JWT" or none: many issuers do not
	// implement RFC 9068. Such a token must have one of the claims scope, scp, client_id, appid and
	// azpacr, and no claim that only ID tokens have. The default, false, accepts only "at+jwt" and
	// "application/at+jwt". It has no effect with Introspection.
	AllowUntyped bool
	// Leeway is the accepted difference between the clocks of the issuer and of this server, for
	// exp and nbf. The default, for zero, is 30 seconds; [NoLeeway] means none; less than zero
	// and more than 5 minutes are mistakes.
	Leeway time.Duration
	// CacheFor limits how long the result for a token is cached. No result is used after the token
	// has expired. The default, for zero, is 5 minutes, and 1 minute with Introspection, which is
	// its maximum there. [NoCache] disables the cache, and less than zero is a mistake. With Introspection, the result for a
	// valid token that has not expired is used for up to 5 minutes more while too many other tokens
	// are being introspected.
	CacheFor time.Duration
	// KeyMaxAge is how long keys, and with Introspection the metadata, are used if they cannot be
	// fetched again. The default, for zero, is 24 hours; less than 10 minutes, the time after which
	// they are fetched again, is a mistake.
	KeyMaxAge time.Duration
	// KeysURL is the URL of the issuer's keys, for issuers that publish no metadata, or have the
	// keys on another host. The default, "", is jwks_uri of the metadata. It has no effect with
	// Introspection.
	KeysURL string
	// Introspection selects verification by the issuer (RFC 7662), for tokens that are not JWTs, or
	// that must be refused as soon as they are revoked. The default, nil, verifies JWTs with the
	// keys of the issuer.
	Introspection *Introspection
	// TenantClaim is the name of the claim that is the tenant of the token, such as org_id with
	// Auth0 and WorkOS. A token in which it is absent, empty or not a string is refused, so that no
	// caller is without a tenant. The default, "", means tokens without a tenant; if the tenant is
	// not a claim of this form, set Token.Tenant in Map.
	TenantClaim string
	// Map is called with each verified token and may change what the server makes of it: add scopes
	// that others include, make scopes of roles, set another principal, tenant or Expiry. It returns an error that
	// wraps [streamhttp.ErrInvalidToken] to refuse the token. It is called concurrently, and its
	// results are cached. The default, nil, changes nothing.
	Map func(claims *Claims, token *streamhttp.Token) error
	// Client sends the requests to the issuer; redirects are never followed. The default, nil, is a
	// client with the proxy settings of [http.DefaultTransport].
	Client *http.Client
	// Logger logs, at level warn, when the issuer becomes unavailable, and at level info when it can
	// be used again: not each request that fails meanwhile. The default, nil, is [slog.Default].
	Logger *slog.Logger
}

// Introspection are the settings for token introspection (RFC 7662).
type Introspection struct {
	// ClientID and ClientSecret authenticate this server to the endpoint, with HTTP Basic
	// (client_secret_basic of RFC 6749). They are required.
	ClientID, ClientSecret string
	// URL is the endpoint. The default, "", is introspection_endpoint of the issuer's metadata.
	URL string
	// AllowNoAudience accepts answers without aud. Set it only if the endpoint calls tokens for
	// other servers inactive. By default, false, they are refused.
	AllowNoAudience bool
}

// NoLeeway and NoCache are values of fields of [Options] whose zero value is the default.
const (
	// NoLeeway is the value of Leeway with which clocks must not differ.
	NoLeeway = time.Nanosecond
	// NoCache is the value of CacheFor with which no result is cached.
	NoCache = time.Nanosecond
)

const (
	defaultLeeway       = 30 * time.Second
	maxLeeway           = 5 * time.Minute
	defaultCacheFor     = 5 * time.Minute
	maxIntrospectionFor = time.Minute
	defaultKeyMaxAge    = 24 * time.Hour
)

// withDefaults returns the options with their defaults, and all mistakes.
func (o Options) withDefaults() (Options, error) {
	var errs []error
	mistake := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	trusted := func(name, location string) {
		_, err := trustedURL(location)
		mistake(err == nil, "%s %q: %w", name, location, err)
	}
	trusted("Issuer", o.Issuer)
	mistake(!strings.ContainsAny(o.Issuer, "?#"), "Issuer %q has a query or fragment", o.Issuer)
	if o.KeysURL != "" {
		trusted("KeysURL", o.KeysURL)
	}
	mistake(len(o.Audiences) == 0 || o.Resource != "", "Audiences needs Resource, the URI that they stand for")
	if i := o.Introspection; i != nil {
		mistake(i.ClientID != "" && i.ClientSecret != "", "Introspection needs ClientID and ClientSecret")
		mistake(!i.AllowNoAudience || o.Resource != "", "Introspection.AllowNoAudience needs Resource")
		mistake(o.CacheFor <= maxIntrospectionFor, "CacheFor %v is more than %v, the maximum with Introspection", o.CacheFor, maxIntrospectionFor)
		if i.URL != "" {
			trusted("Introspection.URL", i.URL)
		}
		o.CacheFor = cmp.Or(o.CacheFor, maxIntrospectionFor)
	}
	errs = append(errs,
		setting.NotNegative("Leeway", o.Leeway, "means the default, 30s, and NoLeeway none"),
		setting.NotNegative("CacheFor", o.CacheFor, "means the default, and NoCache disables the cache"))
	o.CacheFor = cmp.Or(o.CacheFor, defaultCacheFor)
	o.Leeway = cmp.Or(o.Leeway, defaultLeeway)
	mistake(o.Leeway <= maxLeeway, "Leeway %v is more than %v", o.Leeway, maxLeeway)
	if o.CacheFor == NoCache {
		o.CacheFor = 0
	}
	if o.Leeway == NoLeeway {
		o.Leeway = 0
	}
	o.KeyMaxAge = cmp.Or(o.KeyMaxAge, defaultKeyMaxAge)
	mistake(o.KeyMaxAge >= refreshAge, "KeyMaxAge %v is less than %v", o.KeyMaxAge, refreshAge)
	o.Logger = cmp.Or(o.Logger, slog.Default())
	return o, errors.Join(errs...)
}

// trustedURL parses a URL that requests are sent to: https, or http if they do not leave the
// machine.
func trustedURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, errors.New("it is not a URL that begins with https://")
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u.Hostname())):
		return nil, errors.New("it must begin with https://, or with http:// for a loopback host")
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return nil, errors.New("it has no host, or a user or fragment")
	}
	return u, nil
}

// isLoopback reports whether a host name always refers to this machine.
func isLoopback(name string) bool {
	ip, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && ip.IsLoopback()
}
