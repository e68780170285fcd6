package jwtauth

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcptool-go/mcptool/streamhttp"
)

// Claims are the claims of a verified token: the payload of a JWT, or the answer of an
// introspection endpoint.
type Claims struct {
	// Issuer is the configured issuer. Subject (sub) is the user, or the client if it acts for
	// itself; ClientID is the client: client_id, or otherwise azp or appid. At least one of the two
	// is not "". ID (jti) may be "".
	Issuer, Subject, ClientID, ID string
	// Audience lists the values of aud.
	Audience []string
	// Scopes are the values of scope, or otherwise of scp, each of which may be an array or a
	// string with spaces.
	Scopes []string
	// Expiry is exp, without leeway. With introspection it may be zero.
	Expiry time.Time
	// Raw is the JSON object with all claims. It must not be modified.
	Raw []byte
}

// payload is the JSON of claims. The members of type RawMessage matter only by being there.
type payload struct {
	jwt.Claims
	Audience list   `json:"aud"`
	ClientID string `json:"client_id"`
	AZP      string `json:"azp"`
	AppID    string `json:"appid"`
	Username any    `json:"username"`
	Scope    list   `json:"scope"`
	SCP      list   `json:"scp"`
	// Confirmation binds the token to a key of the client, which is not a bearer token.
	Confirmation json.RawMessage `json:"cnf"`
	// These are names of the kind of the token, of various issuers.
	TokenUse  any `json:"token_use"`
	TokenType any `json:"token_type"`
	Type      any `json:"typ"`
	// The others distinguish access tokens from ID tokens if the header does not.
	AZPACR json.RawMessage `json:"azpacr"`
	Nonce  json.RawMessage `json:"nonce"`
	ATHash json.RawMessage `json:"at_hash"`
	CHash  json.RawMessage `json:"c_hash"`
}

// list is a claim that is a string or an array of strings. A null is the same as none.
type list []string

func (l *list) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	return (*jwt.Audience)(l).UnmarshalJSON(text)
}

// check checks the claims that both kinds of tokens have. An introspection endpoint may omit iss.
func (v *Verifier) check(p *payload) error {
	earliest, latest := time.Now().Add(-v.opt.Leeway), time.Now().Add(v.opt.Leeway)
	switch {
	case p.Issuer != v.opt.Issuer && (p.Issuer != "" || v.opt.Introspection == nil):
		return fmt.Errorf("its issuer (iss) is %.200q, and Options.Issuer is %q", p.Issuer, v.opt.Issuer)
	case p.Expiry != nil && earliest.After(p.Expiry.Time()):
		return fmt.Errorf("it expired at %s (exp)", utc(p.Expiry))
	case p.NotBefore != nil && latest.Before(p.NotBefore.Time()):
		return fmt.Errorf("it is not valid yet, but from %s (nbf); is the clock of this server right?", utc(p.NotBefore))
	case p.IssuedAt != nil && latest.Before(p.IssuedAt.Time()):
		return fmt.Errorf("it was issued in the future, at %s (iat); is the clock of this server right?", utc(p.IssuedAt))
	case p.isOtherKind():
		return errors.New("it is a refresh token or ID token (token_use, token_type or typ), and no access token")
	case len(p.Confirmation) > 0 && string(p.Confirmation) != "null":
		return errors.New("it is bound to a key (cnf), and no bearer token")
	case p.Subject == "" && p.Username != nil && p.Username != "":
		return errors.New("it is of a user (username), and has no sub: users could not be told apart")
	case p.Subject == "" && p.client() == "":
		return errors.New("it has neither sub nor client_id")
	}
	return nil
}

// utc returns a time for the log.
func utc(t *jwt.NumericDate) string { return t.Time().UTC().Format(time.RFC3339) }

// isOtherKind reports whether the issuer calls the token a refresh token or an ID token. Introspection endpoints also call
// refresh tokens active, which live longer and were not issued for servers.
func (p *payload) isOtherKind() bool {
	return slices.ContainsFunc([]any{p.TokenUse, p.TokenType, p.Type}, func(kind any) bool {
		name, _ := kind.(string)
		return slices.Contains([]string{"refresh", "refresh_token", "offline", "id", "id_token"}, strings.ToLower(name))
	})
}

// isAccessToken reports whether a JWT without the typ of access tokens is one, and not an ID token.
func (p *payload) isAccessToken() bool {
	switch {
	case len(p.Nonce)+len(p.ATHash)+len(p.CHash) > 0:
		return false
	default:
		return p.Scope != nil || p.SCP != nil || p.ClientID != "" || p.AppID != "" || len(p.AZPACR) > 0
	}
}

func (p *payload) client() string { return cmp.Or(p.ClientID, p.AZP, p.AppID) }

// scopes returns the scopes without duplicates.
func (p *payload) scopes() []string {
	values := p.Scope
	if values == nil {
		values = p.SCP
	}
	var all []string
	for _, value := range values {
		for scope := range strings.FieldsSeq(value) {
			if !slices.Contains(all, scope) {
				all = append(all, scope)
			}
		}
	}
	return all
}

// grant returns what the server makes of verified claims.
func (v *Verifier) grant(p *payload, text []byte) (streamhttp.Token, error) {
	claims := &Claims{
		Issuer: v.opt.Issuer, Subject: p.Subject, ClientID: p.client(), ID: p.ID,
		Audience: p.Audience, Scopes: p.scopes(), Raw: text,
	}
	token := streamhttp.Token{Principal: claims.principal(), Scopes: claims.Scopes, Audience: claims.Audience, Claims: text}
	if name := v.opt.TenantClaim; name != "" {
		if token.Tenant = claims.text(name); token.Tenant == "" {
			return streamhttp.Token{}, invalid(fmt.Errorf("it has no tenant: the claim %.200q (Options.TenantClaim) is absent, empty or not a string", name))
		}
	}
	if p.Expiry != nil {
		claims.Expiry = p.Expiry.Time()
		token.Expiry = claims.Expiry.Add(v.opt.Leeway)
	}
	if limit := time.Now().Add(maxIntrospectedFor); v.opt.Introspection != nil && (p.Expiry == nil || limit.Before(token.Expiry)) {
		token.Expiry = limit
	}
	noAudience := v.opt.Introspection != nil && v.opt.Introspection.AllowNoAudience && len(p.Audience) == 0
	if noAudience || slices.ContainsFunc(p.Audience, func(a string) bool { return slices.Contains(v.opt.Audiences, a) }) {
		token.Audience = append(slices.Clone(token.Audience), v.opt.Resource)
	}
	if v.opt.Map != nil {
		if err := v.opt.Map(claims, &token); err != nil {
			return streamhttp.Token{}, err
		}
	}
	return token, nil
}

// text returns the claim with this name; "" if it is absent or not a string.
func (c *Claims) text(name string) string {
	var members map[string]json.RawMessage
	var text string
	if json.Unmarshal(c.Raw, &members) != nil || json.Unmarshal(members[name], &text) != nil {
		return ""
	}
	return text
}

// principal returns the principal, which is unique among all issuers. Issuers have neither query
// nor fragment, so users and clients have different principals.
func (c *Claims) principal() string {
	if c.Subject != "" {
		return c.Issuer + "#" + c.Subject
	}
	return c.Issuer + "?client_id=" + c.ClientID
}
