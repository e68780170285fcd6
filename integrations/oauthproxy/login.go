package oauthproxy

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	loginTime = 10 * time.Minute // to decide on the consent page, and then to log in at the provider
	codeTime  = time.Minute      // to redeem a code
	maxCookie = 4000             // bytes; browsers drop cookies of more than 4096 with their name
)

// upstream is the provider, after discovery.
type upstream struct {
	oauth2.Config
	verifier *oidc.IDTokenVerifier // nil without OpenID Connect
}

// provider returns the provider, which it discovers until that succeeds once.
func (p *Proxy) provider(ctx context.Context) (*upstream, error) {
	if u := p.upstream.Load(); u != nil {
		return u, nil
	}
	c := p.config.Provider
	u := &upstream{Config: oauth2.Config{
		ClientID: c.ClientID, ClientSecret: c.ClientSecret, Endpoint: c.Endpoint, Scopes: c.Scopes, RedirectURL: p.config.Issuer + "/callback",
	}}
	if c.Identify == nil {
		found, err := oidc.NewProvider(oidc.ClientContext(ctx, c.HTTPClient), c.Issuer)
		if err != nil {
			return nil, fmt.Errorf("discover the provider: %w", err)
		}
		u.Endpoint, u.verifier = found.Endpoint(), found.Verifier(&oidc.Config{ClientID: c.ClientID})
	}
	p.upstream.Store(u)
	return u, nil
}

// beginLogin redirects the browser to the provider. The login is in a cookie that can be opened
// only for its state, so that only the browser in which the user has consented can finish it.
func (p *Proxy) beginLogin(w http.ResponseWriter, r *http.Request, request *authRequest) error {
	u, err := p.provider(r.Context())
	if err != nil {
		return err
	}
	state := rand.Text()
	request.Verifier, request.Nonce = oauth2.GenerateVerifier(), rand.Text()
	text := p.seal(kindLogin, state, time.Now().Add(loginTime), request)
	if len(text) > maxCookie {
		return failure("invalid_request", "client_id, redirect_uri and state are too long together")
	}
	p.setCookie(w, "login-"+state, text, loginTime)
	http.Redirect(w, r, u.AuthCodeURL(state, oauth2.S256ChallengeOption(request.Verifier), oidc.Nonce(request.Nonce)), http.StatusSeeOther)
	return nil
}

// callback handles the redirect from the provider.
func (p *Proxy) callback(w http.ResponseWriter, r *http.Request) {
	params, err := parameters(r)
	state := params["state"]
	cookie, noCookie := r.Cookie(p.cookieName("login-" + state))
	var l authRequest
	if err != nil || state == "" || noCookie != nil || !p.open(kindLogin, state, cookie.Value, &l) {
		p.showError(w, r, failure("invalid_request", "the login has expired, or was begun in another browser; connect again"))
		return
	}
	p.setCookie(w, "login-"+state, "", -time.Second)
	code, err := p.finishLogin(r.Context(), params, &l)
	switch {
	case errors.Is(err, ErrExists):
		p.config.Logger.WarnContext(r.Context(), "a state was used twice", "client", l.ClientName)
		p.showError(w, r, failure("invalid_request", "the login has already ended; connect again"))
	case err != nil:
		p.redirectError(w, r, &l, err)
	default:
		p.redirect(w, &l, url.Values{"code": {code}})
	}
}

// finishLogin determines the user, creates the grant, and returns the code for the client. The id
// of the grant is the state, so that a state can be used only once.
func (p *Proxy) finishLogin(ctx context.Context, params map[string]string, l *authRequest) (string, error) {
	if err := p.identify(ctx, params, l); err != nil {
		return "", err
	}
	if err := p.admit(ctx, &l.Login); err != nil {
		return "", err
	}
	now := time.Now().UTC()
	data, err := json.Marshal(grantData{Login: l.Login, Method: l.Method, Begun: now})
	if err != nil {
		return "", err
	}
	g := Grant{Owner: ownerOf(l.Principal), ID: params["state"], Version: 1, Data: data, Expires: now.Add(loginTime)}
	if err := p.config.Store.Create(ctx, g); err != nil {
		return "", err
	}
	return p.seal(kindCode, "", now.Add(codeTime), ticket{Owner: g.Owner, ID: g.ID, Version: 1, Redirect: l.Redirect, Challenge: l.Challenge}), nil
}

// identify redeems the code of the provider, and sets the user of the login.
func (p *Proxy) identify(ctx context.Context, params map[string]string, l *authRequest) error {
	switch iss := cmp.Or(params["iss"], p.config.Provider.Issuer); {
	case iss != p.config.Provider.Issuer:
		return fmt.Errorf("the response is from another issuer than the provider: %.200q", iss)
	case params["error"] == "access_denied":
		return failure("access_denied", "the user has not logged in")
	case params["code"] == "":
		return fmt.Errorf("the provider has returned the error %.200q", params["error"])
	}
	u, err := p.provider(ctx)
	if err != nil {
		return err
	}
	ctx = oidc.ClientContext(ctx, p.config.Provider.HTTPClient)
	l.Token, err = u.Exchange(ctx, params["code"], oauth2.VerifierOption(l.Verifier))
	if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok { // its text has the body of the response
		return fmt.Errorf("the provider has refused its code: %q", refused.ErrorCode)
	} else if err != nil {
		return fmt.Errorf("redeem the code of the provider: %w", err)
	}
	var subject string
	if u.verifier == nil {
		subject, l.Claims, err = p.config.Provider.Identify(ctx, l.Token)
	} else {
		subject, l.Claims, err = u.verify(ctx, l.Token, l.Nonce)
	}
	if err == nil && subject == "" {
		err = errors.New("the provider has not named the user")
	}
	l.Principal = p.config.Provider.Issuer + "#" + subject
	return err
}

// verify verifies the ID token of a login, and returns its subject and claims.
func (u *upstream) verify(ctx context.Context, token *oauth2.Token, nonce string) (subject string, claims json.RawMessage, err error) {
	text, _ := token.Extra("id_token").(string)
	id, err := u.verifier.Verify(ctx, text)
	switch {
	case err != nil:
		return "", nil, fmt.Errorf("verify the ID token: %w", err)
	case id.Nonce != nonce:
		return "", nil, errors.New("the ID token was issued for another login")
	}
	err = id.Claims(&claims)
	return id.Subject, claims, err
}
