package oauthproxy

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// token is the token endpoint.
func (p *Proxy) token(w http.ResponseWriter, r *http.Request) {
	params, err := parameters(r)
	nameClient(params)
	var answer map[string]any
	switch kind := params["grant_type"]; {
	case err != nil:
	case kind == kindCode:
		answer, err = p.redeem(r, kind, params["code"], params)
	case kind == kindRefresh:
		answer, err = p.redeem(r, kind, params["refresh_token"], params)
	default:
		err = failure("unsupported_grant_type", "grant_type must be authorization_code or refresh_token")
	}
	if err != nil {
		p.respondError(w, r, err)
		return
	}
	respond(w, http.StatusOK, answer)
}

// redeem exchanges a code or a refresh token for tokens. If it has been used before, or belongs to
// another client, it was stolen: that ends the grant. Only a refresh that is repeated within
// RefreshGrace gets tokens again.
func (p *Proxy) redeem(r *http.Request, kind, text string, params map[string]string) (map[string]any, error) {
	ctx := r.Context()
	if err := p.checkKind(params["client_id"]); err != nil {
		return nil, err
	}
	var t ticket
	if !p.open(kind, "", text, &t) {
		return nil, errGrant
	}
	g, data, err := p.find(ctx, &t)
	if errors.Is(err, ErrNotFound) {
		return nil, errGrant
	} else if err != nil {
		return nil, err
	}
	repeated := p.isRepeated(kind, &t, &g, &data)
	if reason := t.misuse(kind, &g, &data, params, repeated); reason != "" {
		return nil, p.end(ctx, &t, &data, reason)
	}
	if err := p.authenticate(r, params, data.Method); err != nil {
		return nil, err
	}
	if time.Since(data.Begun) >= p.config.LoginTTL {
		return nil, errGrant
	}
	if name := params["resource"]; name != "" {
		if known, err := p.resource(name); err != nil || known != data.Resource {
			return nil, failure("invalid_target", "the user has consented to another resource")
		}
	}
	if kind == kindRefresh { // a part of the scopes is not an error, and gets all
		if _, err := requestedScopes(data.Scopes, params["scope"]); err != nil {
			return nil, err
		}
	}
	if repeated { // Admit has admitted the user at the refresh that is repeated
		return p.tokens(&g, &data), nil
	}
	if kind == kindRefresh {
		data.Refresh = true
		if err := p.admit(ctx, &data.Login); errors.Is(err, ErrDenied) {
			return nil, p.end(ctx, &t, &data, err.Error())
		} else if err != nil {
			return nil, err
		}
	}
	return p.issue(ctx, kind, &t, g, &data)
}

// isRepeated reports whether a refresh token is the one before the current one, which was issued at most RefreshGrace
// ago: the client has not got the answer to its refresh, or has refreshed in two processes.
func (p *Proxy) isRepeated(kind string, t *ticket, g *Grant, data *grantData) bool {
	return kind == kindRefresh && t.Version+1 == g.Version && time.Since(data.Issued) < p.config.RefreshGrace
}

// issue stores that a code or refresh token is used, and returns new tokens.
func (p *Proxy) issue(ctx context.Context, kind string, t *ticket, g Grant, data *grantData) (answer map[string]any, err error) {
	data.Issued = time.Now().UTC()
	g.Expires = data.Begun.Add(p.config.LoginTTL)
	if g.Data, err = json.Marshal(data); err != nil {
		return nil, err
	}
	switch err = p.config.Store.Update(ctx, g); {
	case errors.Is(err, ErrNotFound):
		return p.issued(ctx, kind, t, data)
	case err != nil:
		return nil, err
	}
	g.Version++
	return p.tokens(&g, data), nil
}

// issued returns the tokens for a refresh token that another request has used at the same time. If it was a code, it was
// stolen.
func (p *Proxy) issued(ctx context.Context, kind string, t *ticket, data *grantData) (map[string]any, error) {
	switch g, current, err := p.find(ctx, t); {
	case err == nil && p.isRepeated(kind, t, &g, &current):
		return p.tokens(&g, &current), nil
	case err != nil && !errors.Is(err, ErrNotFound):
		return nil, err
	}
	return nil, p.end(ctx, t, data, "used twice at the same time")
}

// tokens returns tokens of a grant, which do not outlive the login. The refresh token is valid while the grant has this
// version. A client gets one even if it has not registered for the grant type, whose default few clients know.
func (p *Proxy) tokens(g *Grant, data *grantData) map[string]any {
	end := data.Begun.Add(p.config.LoginTTL)
	expires := time.Now().UTC().Add(p.config.AccessTTL)
	if expires.After(end) {
		expires = end
	}
	return map[string]any{
		"access_token": p.seal(kindAccess, "", expires, ticket{Owner: g.Owner, ID: g.ID, Expires: expires}),
		"token_type":   "Bearer", "expires_in": int(time.Until(expires) / time.Second), "scope": strings.Join(data.Scopes, " "),
		"refresh_token": p.seal(kindRefresh, "", end, ticket{Owner: g.Owner, ID: g.ID, Version: g.Version}),
	}
}

// misuse returns why a code or refresh token must have been stolen, or "".
func (t *ticket) misuse(kind string, g *Grant, data *grantData, params map[string]string, repeated bool) string {
	challenge := oauth2.S256ChallengeFromVerifier(params["code_verifier"])
	switch {
	case t.Version != g.Version && !repeated:
		return "used twice"
	case data.ClientID != params["client_id"]:
		return "issued to another client"
	case kind == kindRefresh:
		return ""
	case params["redirect_uri"] != "" && params["redirect_uri"] != t.Redirect: // OAuth 2.1 omits it
		return "issued for another redirect URI"
	case subtle.ConstantTimeCompare([]byte(challenge), []byte(t.Challenge)) != 1:
		return "wrong code_verifier"
	}
	return ""
}

// end ends a grant, and returns the error for the client.
func (p *Proxy) end(ctx context.Context, t *ticket, data *grantData, reason string) error {
	p.config.Logger.WarnContext(ctx, "grant ended", "reason", reason, "principal", data.Principal, "client", data.ClientName)
	if err := p.config.Store.Delete(ctx, t.Owner, t.ID); err != nil {
		return err
	}
	return errGrant
}

// revoke is the revocation endpoint (RFC 7009). Each token ends the whole grant. It ignores an unknown token.
func (p *Proxy) revoke(w http.ResponseWriter, r *http.Request) {
	params, err := parameters(r)
	nameClient(params)
	var t ticket
	if err == nil && (p.open(kindRefresh, "", params["token"], &t) || p.open(kindAccess, "", params["token"], &t)) {
		var data grantData
		switch _, data, err = p.find(r.Context(), &t); {
		case errors.Is(err, ErrNotFound):
			err = nil
		case err == nil && data.ClientID != params["client_id"]:
			err = errClient
		case err == nil:
			err = p.authenticate(r, params, data.Method)
		}
		if err == nil {
			err = p.config.Store.Delete(r.Context(), t.Owner, t.ID)
		}
	}
	if err != nil {
		p.respondError(w, r, err)
	}
}
