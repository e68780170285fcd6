package oauthproxy

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"sync/atomic"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/seal"
)

// MetadataPath is the path of the metadata of the proxy (RFC 8414). A path of the issuer follows
// it.
const MetadataPath = "/.well-known/oauth-authorization-server"

// maxBody is the maximum size of a request. A registration or a form has a few hundred bytes.
const maxBody = 32 << 10

// retryAfter is when a client may repeat a request that is temporarily unavailable, in seconds.
const retryAfter = "5"

// Proxy is an authorization server whose users log in at an identity provider. It is an
// [http.Handler] for its endpoints and its metadata; mount it at "/" on the host of the issuer. It
// is safe for concurrent use. The zero value is not usable.
type Proxy struct {
	config    Config
	sealer    *seal.Sealer
	documents *documents[client]
	keys      *documents[[]jose.JSONWebKey] // of clients that authenticate
	used      *assertions
	mux       *http.ServeMux
	cross     *http.CrossOriginProtection
	secure    bool // the issuer is https
	upstream  atomic.Pointer[upstream]
	failures  admission.Repeated // in the log
}

// New returns a proxy. It sends no requests, so the provider may be down. The error lists all
// mistakes in the configuration.
func New(config Config) (*Proxy, error) {
	if err := config.setDefaults(); err != nil {
		return nil, fmt.Errorf("oauthproxy: %w", err)
	}
	issuer, _ := url.Parse(config.Issuer) // valid, see setDefaults
	fetcher := newFetcher(config.DocumentTransport)
	p := &Proxy{
		config: config, sealer: seal.New(config.Keys...),
		documents: newDocuments(fetcher, maxDocument, parseDocument), keys: newDocuments(fetcher, maxKeySet, parseKeys), used: newAssertions(),
		mux: http.NewServeMux(), cross: http.NewCrossOriginProtection(), secure: issuer.Scheme == "https",
	}
	if err := p.cross.AddTrustedOrigin(issuer.Scheme + "://" + issuer.Host); err != nil {
		return nil, err
	}
	path := issuer.EscapedPath()
	p.mux.HandleFunc("GET "+path+"/authorize", p.authorize)
	p.mux.HandleFunc("POST "+path+"/consent", p.consent)
	p.mux.HandleFunc("GET "+path+"/callback", p.callback)
	p.handlePublic(http.MethodPost, path+"/token", p.token)
	p.handlePublic(http.MethodPost, path+"/revoke", p.revoke)
	if !config.DisableRegistration {
		p.handlePublic(http.MethodPost, path+"/register", p.register)
	}
	p.handlePublic(http.MethodGet, MetadataPath+path, p.metadata)
	return p, nil
}

// ServeHTTP implements [http.Handler].
func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Referrer-Policy", "same-origin") // URLs have codes; no-referrer would also hide the Origin of forms
	h.Set("X-Content-Type-Options", "nosniff")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	p.mux.ServeHTTP(w, r)
}

// handlePublic handles an endpoint that uses no cookies, also for web pages of any origin.
func (p *Proxy) handlePublic(method, path string, handle http.HandlerFunc) {
	preflight := func(http.ResponseWriter, *http.Request) {}
	for method, handle := range map[string]http.HandlerFunc{method: handle, http.MethodOptions: preflight} {
		p.mux.HandleFunc(method+" "+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Access-Control-Allow-Origin", "*")
			w.Header().Set("Access-Control-Allow-Headers", "*")
			handle(w, r)
		})
	}
}

// metadata is the metadata document.
func (p *Proxy) metadata(w http.ResponseWriter, _ *http.Request) {
	issuer, methods := p.config.Issuer, []string{methodNone}
	metadata := map[string]any{
		"issuer":                                         issuer,
		"authorization_endpoint":                         issuer + "/authorize",
		"token_endpoint":                                 issuer + "/token",
		"revocation_endpoint":                            issuer + "/revoke",
		"response_types_supported":                       []string{"code"},
		"response_modes_supported":                       []string{"query"},
		"grant_types_supported":                          []string{kindCode, kindRefresh},
		"code_challenge_methods_supported":               []string{"S256"},
		"authorization_response_iss_parameter_supported": true,
	}
	if !p.config.DisableRegistration {
		metadata["registration_endpoint"] = issuer + "/register"
	}
	if !p.config.DisableDocuments {
		methods = append(methods, methodKey)
		metadata["client_id_metadata_document_supported"] = true
	}
	for _, endpoint := range []string{"token", "revocation"} {
		metadata[endpoint+"_endpoint_auth_methods_supported"] = methods
		if len(methods) > 1 {
			metadata[endpoint+"_endpoint_auth_signing_alg_values_supported"] = algorithms
		}
	}
	if len(p.config.Scopes) > 0 { // RFC 8414 omits empty lists
		metadata["scopes_supported"] = slices.Sorted(maps.Keys(p.config.Scopes))
	}
	respond(w, http.StatusOK, metadata)
}

// oauthError is an error that clients may know (RFC 6749, section 5.2).
type oauthError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// Error implements error.
func (e *oauthError) Error() string { return e.Code + ": " + e.Description }

func failure(code, description string) error { return &oauthError{code, description} }

// Errors that have several causes.
var (
	errClient = failure("invalid_client", "the client is unknown; it has to register again")
	errGrant  = failure("invalid_grant", "the code or token is invalid, expired or revoked")
)

// asOAuthError returns the part of an error that clients may know, and logs the others.
func (p *Proxy) asOAuthError(r *http.Request, err error) *oauthError {
	if known, ok := errors.AsType[*oauthError](err); ok {
		return known
	}
	if errors.Is(err, ErrDenied) {
		p.config.Logger.InfoContext(r.Context(), "login denied", "reason", err.Error())
		return &oauthError{"access_denied", "the user is not admitted"}
	}
	level, suppressed := p.failures.Level() // anybody can make requests that fail at the provider
	p.config.Logger.Log(r.Context(), level, "login failed", "path", r.URL.Path, "reason", err.Error(), "suppressed", suppressed)
	if errors.Is(err, ErrFull) {
		return &oauthError{"temporarily_unavailable", "there are too many logins"}
	}
	return &oauthError{"server_error", "the reason is in the log of the server"}
}

// respond sends value as JSON.
func respond(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // an error means that the client is gone
}

// respondError answers a client with an error.
func (p *Proxy) respondError(w http.ResponseWriter, r *http.Request, err error) {
	answer, status := p.asOAuthError(r, err), http.StatusBadRequest
	switch answer.Code {
	case "invalid_client":
		status = http.StatusUnauthorized
	case "server_error":
		status = http.StatusInternalServerError
	case "temporarily_unavailable":
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", retryAfter)
	}
	respond(w, status, answer)
}

// parameters returns the parameters of a request: those in its body if it is a POST, and otherwise those in its URL. None
// may be repeated (RFC 6749, section 3.1).
func parameters(r *http.Request) (map[string]string, error) {
	if err := r.ParseForm(); err != nil {
		return nil, failure("invalid_request", "the parameters are malformed or too long")
	}
	values := r.Form
	if r.Method == http.MethodPost {
		values = r.PostForm
	}
	params := map[string]string{}
	for name, all := range values {
		if len(all) > 1 {
			return nil, failure("invalid_request", "a parameter is repeated")
		}
		params[name] = all[0]
	}
	return params, nil
}
