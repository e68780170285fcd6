package oauthproxy

import (
	"crypto/rand"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// maxState is the maximum size of the state of a client, in bytes.
const maxState = 1024

// authRequest is a valid authorization request, and the state of the login that it begins.
type authRequest struct {
	Login // without the user

	Redirect, State, Challenge string
	Verifier, Nonce            string // of the login at the provider, after the consent
	Method                     string `json:",omitempty"` // methodKey if the client has to authenticate
	host                       string // of the document of the client
}

// authorize shows the consent page. Before the user has consented, the proxy stores nothing, begins
// no login, and redirects nowhere, because an attacker may have made the request: an error is shown
// to the user.
func (p *Proxy) authorize(w http.ResponseWriter, r *http.Request) {
	request, err := p.authRequest(r)
	if err != nil {
		p.showError(w, r, err)
		return
	}
	browser := rand.Text() // only the browser that gets the page can submit it
	if cookie, err := r.Cookie(p.cookieName("consent")); err == nil && cookie.Value != "" {
		browser = cookie.Value
	}
	p.setCookie(w, "consent", browser, loginTime)
	p.show(w, http.StatusOK, &page{
		Request: request, Host: request.host,
		Sealed: p.seal(kindConsent, browser, time.Now().Add(loginTime), request),
	})
}

// authRequest returns the authorization request of a client.
func (p *Proxy) authRequest(r *http.Request) (*authRequest, error) {
	params, err := parameters(r)
	if err != nil {
		return nil, err
	}
	c, err := p.client(r, params["client_id"])
	if err != nil {
		return nil, err
	}
	method := ""
	if c.method == methodKey {
		method = methodKey
	}
	request := &authRequest{
		Login: Login{ClientID: c.ID, ClientName: c.Name}, Method: method, host: c.host,
		Redirect: params["redirect_uri"], State: params["state"], Challenge: params["code_challenge"],
	}
	switch {
	case !matches(c.RedirectURIs, request.Redirect):
		return nil, failure("invalid_request", "the redirect URI is not one that the client has registered")
	case !p.canRedirect(request.Redirect): // a document may have any
		return nil, failure("invalid_request", "this server allows only redirect URIs that are "+p.redirectURIs())
	case params["response_type"] != "code":
		return nil, failure("unsupported_response_type", "response_type must be code")
	case params["code_challenge_method"] != "S256" || len(request.Challenge) != 43: // base64 of 32 bytes
		return nil, failure("invalid_request", "PKCE with code_challenge_method S256 is required")
	case len(request.State) > maxState:
		return nil, failure("invalid_request", "the state is too long")
	}
	if request.Resource, err = p.resource(params["resource"]); err != nil {
		return nil, err
	}
	request.Scopes, err = requestedScopes(slices.Sorted(maps.Keys(p.config.Scopes)), params["scope"])
	return request, err
}

// resource returns the configured resource that a client has named (RFC 8707). Clients write the
// same URL in slightly different ways; tokens always have the configured one.
func (p *Proxy) resource(name string) (string, error) {
	if name == "" && len(p.config.Resources) == 1 { // clients of revision 2025-03-26 name none
		return p.config.Resources[0], nil
	}
	for _, known := range p.config.Resources {
		if strings.EqualFold(strings.TrimRight(known, "/"), strings.TrimRight(name, "/")) {
			return known, nil
		}
	}
	return "", failure("invalid_target", "there are no tokens for this resource")
}

// requestedScopes returns the available scopes that are requested, or all if none are requested. It ignores other scopes, as
// RFC 6749, section 3.3 allows, but a request for nothing but other scopes is an error. If no scopes are available, it
// ignores all.
func requestedScopes(available []string, requested string) ([]string, error) {
	names := strings.Fields(requested)
	if len(names) == 0 || len(available) == 0 {
		return available, nil
	}
	scopes := slices.DeleteFunc(slices.Clone(available), func(scope string) bool { return !slices.Contains(names, scope) })
	if len(scopes) == 0 {
		return nil, failure("invalid_scope", "none of the requested scopes is available; request others, or no scope for all")
	}
	return scopes, nil
}

// consent handles the decision of the user, and begins the login.
func (p *Proxy) consent(w http.ResponseWriter, r *http.Request) {
	params, err := parameters(r)
	if err == nil {
		err = p.cross.Check(r)
	}
	cookie, noCookie := r.Cookie(p.cookieName("consent"))
	var request authRequest
	if err != nil || noCookie != nil || !p.open(kindConsent, cookie.Value, params["request"], &request) {
		p.showError(w, r, failure("invalid_request", "the page has expired, or was opened in another browser; connect again"))
		return
	}
	if params["decision"] != "allow" {
		err = failure("access_denied", "the user has refused")
	} else {
		err = p.beginLogin(w, r, &request)
	}
	if err != nil {
		p.redirectError(w, r, &request, err)
	}
}

// cookieName returns the name of a cookie. The prefix makes browsers refuse a cookie that another
// host of the domain has set; it needs https.
func (p *Proxy) cookieName(name string) string {
	if p.secure {
		return "__Host-mcp-" + name
	}
	return "mcp-" + name
}

// setCookie sets a cookie, or deletes it if lifetime is negative.
func (p *Proxy) setCookie(w http.ResponseWriter, name, value string, lifetime time.Duration) {
	http.SetCookie(w, &http.Cookie{ //nolint:gosec // Secure needs https, which loopback lacks
		Name: p.cookieName(name), Value: value, Path: "/", MaxAge: int(lifetime / time.Second),
		Secure: p.secure, HttpOnly: true, SameSite: http.SameSiteLaxMode, // strict ones are not sent to /callback
	})
}

// redirectError sends an error to a client, after the user has decided.
func (p *Proxy) redirectError(w http.ResponseWriter, r *http.Request, request *authRequest, err error) {
	known := p.asOAuthError(r, err)
	p.redirect(w, request, url.Values{"error": {known.Code}, "error_description": {known.Description}})
}

// redirect redirects the browser to the client, with the issuer, so that the client can detect
// responses of other servers (RFC 9207).
func (p *Proxy) redirect(w http.ResponseWriter, request *authRequest, params url.Values) {
	params.Set("iss", p.config.Issuer)
	if request.State != "" {
		params.Set("state", request.State)
	}
	w.Header().Set("Location", withParams(request.Redirect, params))
	w.WriteHeader(http.StatusSeeOther)
}

// responseParams are the parameters of a response to a client.
var responseParams = []string{"code", "state", "iss", "error", "error_description"}

// withParams appends the parameters of a response to a redirect URI, which has no fragment. It keeps the query of the URI as
// it is written (RFC 6749, section 3.1.2): url.Values would drop parameters with a semicolon, and sort and encode the
// others. Only parameters of a response are removed, which the client would otherwise get twice.
func withParams(uri string, params url.Values) string {
	path, query, _ := strings.Cut(uri, "?")
	kept := slices.DeleteFunc(strings.Split(query, "&"), func(param string) bool {
		name, _, _ := strings.Cut(param, "=")
		name, err := url.QueryUnescape(name)
		return param == "" || err == nil && slices.Contains(responseParams, name)
	})
	return path + "?" + strings.Join(append(kept, params.Encode()), "&")
}
