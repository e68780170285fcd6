package oauthproxy

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// Limits of client metadata. The id of a registered client contains all of it.
const (
	maxName      = 64 // characters
	maxRedirect  = 512
	maxRedirects = 10
	maxClientID  = 2048
)

// client is a client. Without an authentication method it is public: it proves by PKCE that a code belongs to it.
type client struct {
	ID           string   `json:"client_id,omitempty"`
	Name         string   `json:"client_name"`
	RedirectURIs []string `json:"redirect_uris"`

	// The others are of a client with a document.
	host      string // of the document
	method    string // methodNone or methodKey
	algorithm string // of assertions; "" for any
	keys      []jose.JSONWebKey
	keysURL   string // in place of keys
}

// client returns the client with an id, which anybody can make up.
func (p *Proxy) client(r *http.Request, id string) (client, error) {
	if strings.HasPrefix(id, "https://") {
		return p.documented(r.Context(), id, addressOf(r), freshFor)
	}
	return p.registered(id)
}

// addressOf returns the address of the client of a request: the one of [streamhttp.WithAccess], or the peer's.
func addressOf(r *http.Request) netip.Addr {
	if address := streamhttp.ClientAddress(r.Context()); address.IsValid() {
		return address
	}
	peer, _ := netip.ParseAddrPort(r.RemoteAddr) // the address is invalid if this is not a network connection
	return peer.Addr()
}

// checkKind returns an error if the client with an id is of a kind that is not accepted, or has not registered here.
func (p *Proxy) checkKind(id string) error {
	if !strings.HasPrefix(id, "https://") {
		_, err := p.registered(id)
		return err // the client registers again
	}
	if p.config.DisableDocuments {
		return errDocuments
	}
	return nil
}

// Errors for clients of a kind that is not accepted.
var (
	errDocuments    = failure("invalid_client", "clients with a Client ID Metadata Document are not accepted; the client has to register")
	errRegistration = failure("invalid_client", "clients that register are not accepted; the client needs a Client ID Metadata Document")
)

// registered returns a client that has registered.
func (p *Proxy) registered(id string) (c client, err error) {
	if p.config.DisableRegistration {
		return client{}, errRegistration
	}
	if len(id) > maxClientID || !p.open(kindClient, "", id, &c) {
		return client{}, errClient
	}
	c.ID = id
	return c, nil
}

// register registers a client (RFC 7591). Nothing is stored: the id contains the sealed metadata.
// So registrations take no space, and every instance knows the client. They do not expire, because
// a client cannot find out that its id has expired.
func (p *Proxy) register(w http.ResponseWriter, r *http.Request) {
	var c client
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		p.respondError(w, r, failure("invalid_client_metadata", "the body is not the JSON of a client, or is too long"))
		return
	}
	c.ID, c.Name = "", visible(c.Name)
	bad := func(uri string) bool { return !p.canRedirect(uri) }
	if n := len(c.RedirectURIs); n == 0 || n > maxRedirects || slices.ContainsFunc(c.RedirectURIs, bad) {
		p.respondError(w, r, failure("invalid_redirect_uri", "register 1 to 10 "+p.redirectURIs()))
		return
	}
	id := p.seal(kindClient, "", time.Now().AddDate(100, 0, 0), c)
	if len(id) > maxClientID {
		p.respondError(w, r, failure("invalid_client_metadata", "the redirect URIs are too long together"))
		return
	}
	respond(w, http.StatusCreated, map[string]any{
		"client_id": id, "client_id_issued_at": time.Now().Unix(), "client_name": c.Name, "redirect_uris": c.RedirectURIs,
		"grant_types": []string{kindCode, kindRefresh}, "response_types": []string{"code"}, "token_endpoint_auth_method": methodNone,
	})
}

// uriText matches the characters of a URI without a fragment. Browsers treat a backslash as a slash.
var uriText = regexp.MustCompile(`^[!$-;=?-Z_a-z~[\]]*$`)

// loopback matches an http URI of the machine itself; the second group is the port.
var loopback = regexp.MustCompile(`^(http://(?:localhost|127\.0\.0\.1|\[::1\]))(:[0-9]{1,5})?([/?].*)?$`)

// canRedirect reports whether a client may have a redirect URI.
func (p *Proxy) canRedirect(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || len(uri) > maxRedirect || !uriText.MatchString(uri) || u.User != nil {
		return false
	}
	switch u.Scheme {
	case "https":
		return u.Hostname() != "" && strings.HasPrefix(uri, "https://"+u.Host) // u.Host is decoded: the page would show other letters
	case "http":
		return loopback.MatchString(uri)
	}
	return slices.Contains(p.config.RedirectSchemes, u.Scheme)
}

// redirectURIs describes the redirect URIs that clients may have.
func (p *Proxy) redirectURIs() string {
	schemes := ""
	if len(p.config.RedirectSchemes) > 0 {
		schemes = ", or URIs of the schemes " + strings.Join(p.config.RedirectSchemes, ", ")
	}
	return "https URLs, or http URLs of localhost, 127.0.0.1 or [::1]" + schemes + ", without fragment and user"
}

// matches reports whether a redirect URI equals one of the registered ones. Only the port of a
// loopback URI may differ (RFC 8252, section 7.3), because native clients listen on a free one.
func matches(registered []string, uri string) bool {
	withoutPort := func(uri string) string { return loopback.ReplaceAllString(uri, "$1$3") }
	return slices.ContainsFunc(registered, func(known string) bool {
		return known == uri || loopback.MatchString(known) && loopback.MatchString(uri) && withoutPort(known) == withoutPort(uri)
	})
}

// visible returns a name for the consent page: short, and without characters that hide or reorder
// others.
func visible(name string) string {
	runes := []rune(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) || unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			return -1
		}
		return r
	}, name))
	return cmp.Or(strings.TrimSpace(string(runes[:min(len(runes), maxName)])), "An application without a name")
}
