package jwtauth_test

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/oidc"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
)

const (
	issuerURL = "https://auth.example.com"
	resource  = "https://mcp.example.com/mcp"
)

// rsaKeys are made once: making one takes a while.
var rsaKeys = func() []*rsa.PrivateKey {
	keys := make([]*rsa.PrivateKey, 3)
	for i := range keys {
		keys[i], _ = rsa.GenerateKey(rand.Reader, 2048)
	}
	return keys
}()

// users is shared by all authorities, because it generates a key, which is slow.
var users = storage.NewStorageWithClients(storage.NewUserStore(issuerURL), map[string]*storage.Client{"mcp": storage.WebClient("mcp", "se:cret")})

// signingKey is a key of the authority. It is also its public part.
type signingKey struct {
	id      string
	private crypto.Signer
	alg     jose.SignatureAlgorithm
	public  bool
}

func (k signingKey) ID() string                                  { return k.id }
func (k signingKey) Algorithm() jose.SignatureAlgorithm          { return k.alg }
func (k signingKey) SignatureAlgorithm() jose.SignatureAlgorithm { return k.alg }
func (k signingKey) Use() string                                 { return "sig" }
func (k signingKey) Key() any {
	if k.public {
		return k.private.Public()
	}
	return k.private
}

// grant is a token that the authority has issued.
type grant struct {
	request op.TokenRequest
	expiry  time.Time
}

// authority is a real authorization server, the provider of zitadel/oidc, whose keys and failures a
// test controls. It is the transport of its own HTTP client, without a network, so that it works in
// fake time.
type authority struct {
	*storage.Storage
	issuer  string
	handler http.Handler

	mu        sync.Mutex
	signing   signingKey
	published []op.Key
	jwts      bool // issue JWTs, and otherwise opaque tokens
	audience  []string
	issued    map[string]grant
	requests  map[string]int // by path
	// intercept answers a request in place of the provider; nil: none.
	intercept func(r *http.Request) (*http.Response, error)
}

// newAuthority returns an authority with the key k1.
func newAuthority(tb testing.TB, issuer string) *authority {
	tb.Helper()
	a := &authority{
		Storage: users,
		issuer:  issuer, jwts: true,
		audience: []string{resource}, issued: map[string]grant{}, requests: map[string]int{},
	}
	a.rotate("k1", rsaKeys[0], jose.RS256)
	provider, err := op.NewProvider(&op.Config{CodeMethodS256: true}, a, op.StaticIssuer(issuer), op.WithAllowInsecure())
	if err != nil {
		tb.Fatal(err)
	}
	a.handler = provider
	return a
}

// rotate signs with another key from now on, and publishes it and these.
func (a *authority) rotate(id string, private crypto.Signer, alg jose.SignatureAlgorithm, published ...op.Key) signingKey {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.signing = signingKey{id: id, private: private, alg: alg}
	public := a.signing
	public.public = true
	a.published = append([]op.Key{public}, published...)
	return public
}

func (a *authority) SigningKey(context.Context) (op.SigningKey, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.signing, nil
}

func (a *authority) SignatureAlgorithms(context.Context) ([]jose.SignatureAlgorithm, error) {
	return []jose.SignatureAlgorithm{jose.RS256, jose.ES256}, nil
}

func (a *authority) KeySet(context.Context) ([]op.Key, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.published, nil
}

// jwtClient gets tokens of the kind that the authority issues.
type jwtClient struct {
	op.Client
	kind op.AccessTokenType
}

func (c jwtClient) AccessTokenType() op.AccessTokenType { return c.kind }

func (a *authority) ClientCredentials(ctx context.Context, id, secret string) (op.Client, error) {
	client, err := a.Storage.ClientCredentials(ctx, id, secret)
	if err != nil || !a.jwts {
		return client, err
	}
	return jwtClient{client, op.AccessTokenTypeJWT}, nil
}

func (a *authority) ClientCredentialsTokenRequest(_ context.Context, id string, scopes []string) (op.TokenRequest, error) {
	return &oidc.JWTTokenRequest{Subject: id, Audience: a.audience, Scopes: scopes}, nil
}

// GetPrivateClaimsFromScopes adds the claim scope, which the provider leaves to its storage.
func (a *authority) GetPrivateClaimsFromScopes(_ context.Context, _, _ string, scopes []string) (map[string]any, error) {
	return map[string]any{"scope": strings.Join(scopes, " ")}, nil
}

func (a *authority) CreateAccessToken(ctx context.Context, request op.TokenRequest) (string, time.Time, error) {
	id, expiry, err := a.Storage.CreateAccessToken(ctx, request)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.issued[id] = grant{request, expiry}
	return id, expiry, err
}

func (a *authority) SetIntrospectionFromToken(_ context.Context, answer *oidc.IntrospectionResponse, id, subject, _ string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.issued[id]
	if !ok || !time.Now().Before(known.expiry) {
		return errors.New("unknown or expired")
	}
	answer.Subject, answer.Audience, answer.Scope = subject, known.request.GetAudience(), known.request.GetScopes()
	answer.Expiration, answer.ClientID = oidc.FromTime(known.expiry), "c1"
	return nil
}

// revoke makes all tokens inactive.
func (a *authority) revoke() {
	a.mu.Lock()
	defer a.mu.Unlock()
	clear(a.issued)
}

// login gets an access token from the token endpoint.
func (a *authority) login(tb testing.TB, scopes ...string) string {
	tb.Helper()
	form := url.Values{"grant_type": {"client_credentials"}, "scope": {strings.Join(scopes, " ")}}
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, a.issuer+"/oauth/token", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth("sid1", "verysecret")
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, r)
	var answer struct {
		Token string `json:"access_token"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Token == "" {
		tb.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return answer.Token
}

// RoundTrip serves the requests of a verifier.
func (a *authority) RoundTrip(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.requests[r.URL.Path]++
	intercept := a.intercept
	a.mu.Unlock()
	if "https://"+r.URL.Host != issuerURL {
		return nil, errors.New("a request to " + r.URL.Host)
	}
	if intercept != nil {
		if response, err := intercept(r); response != nil || err != nil {
			return response, err
		}
	}
	r = r.Clone(r.Context())
	r.RequestURI = r.URL.RequestURI()
	w := httptest.NewRecorder()
	a.handler.ServeHTTP(w, r)
	return w.Result(), nil
}

// fail sets what the authority answers in place of the provider; nil stops that.
func (a *authority) fail(intercept func(r *http.Request) (*http.Response, error)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.intercept = intercept
}

// asked returns how often a path has been requested.
func (a *authority) asked(path string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.requests[path]
}

// options returns the options of a verifier for the authority.
func (a *authority) options() jwtauth.Options {
	return jwtauth.Options{Issuer: a.issuer, Client: &http.Client{Transport: a}, Logger: slog.New(slog.DiscardHandler)}
}

// verifier returns a verifier for the authority.
func (a *authority) verifier(tb testing.TB, change func(*jwtauth.Options)) *jwtauth.Verifier {
	tb.Helper()
	opt := a.options()
	if change != nil {
		change(&opt)
	}
	v, err := jwtauth.New(opt)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(v.Close)
	return v
}

// logged returns a log, and the option that writes to it.
func logged() (*bytes.Buffer, func(*jwtauth.Options)) {
	var log bytes.Buffer
	return &log, func(o *jwtauth.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }
}

// These are ways to fail.

func down(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func slow(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// answers is the answer to requests for a path, or to all if it is "".
func answers(path string, status int, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if path != "" && r.URL.Path != path {
			return nil, nil
		}
		h := http.Header{"Content-Length": {strconv.Itoa(len(body))}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// claims returns the claims of an access token that is valid for an hour, with changes: nil removes a claim,
// and a duration is a time from now.
func claims(change map[string]any) map[string]any {
	all := map[string]any{
		"iss": issuerURL, "aud": resource, "sub": "u1", "client_id": "c1", "jti": "t1", "scope": "notes:read notes:write",
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}
	for name, value := range change {
		if d, ok := value.(time.Duration); ok {
			value = float64(time.Now().Add(d).UnixMilli()) / 1000
		}
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	return all
}

// sign makes a token as an authorization server by RFC 9068 does, with a key of the authority: its
// provider always sets the typ JWT.
func sign(tb testing.TB, key signingKey, typ string, claims map[string]any) string {
	tb.Helper()
	opt := &jose.SignerOptions{}
	if typ != "" {
		opt = opt.WithType(jose.ContentType(typ))
	}
	if key.id != "" {
		opt = opt.WithHeader("kid", key.id)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: key.alg, Key: key.private}, opt)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := json.Marshal(claims)
	if err != nil {
		tb.Fatal(err)
	}
	if twice, ok := claims["twice"].(string); ok { // a claim that is present twice
		text = append([]byte(`{"`+twice+`":"root",`), text[1:]...)
	}
	signed, err := signer.Sign(text)
	if err != nil {
		tb.Fatal(err)
	}
	token, err := signed.CompactSerialize()
	if err != nil {
		tb.Fatal(err)
	}
	return token
}

// token makes a token with the current key.
func (a *authority) token(tb testing.TB, change map[string]any) string {
	tb.Helper()
	a.mu.Lock()
	key := a.signing
	a.mu.Unlock()
	return sign(tb, key, "at+jwt", claims(change))
}
