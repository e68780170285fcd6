package oauthproxy

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/seal"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// The kinds of sealed texts. A text of one kind cannot be used as another. Those of codes and refresh
// tokens are also the names of the grant types.
const (
	kindClient  = "client"  // id of a registered client
	kindConsent = "consent" // field of the consent page, for one browser
	kindLogin   = "login"   // cookie during a login, for one state
	kindCode    = "authorization_code"
	kindRefresh = "refresh_token"
	kindAccess  = "access"
)

// seal returns a value as a text that only the proxy can make and read. It can be opened only for
// the same kind and holder: a browser or a state.
func (p *Proxy) seal(kind, holder string, expires time.Time, value any) string {
	text, _ := json.Marshal(value) // cannot fail for the types here
	return p.sealer.Seal(p.binding(kind, holder), expires, text)
}

// open reads a sealed text into value, and reports whether it is valid.
func (p *Proxy) open(kind, holder, text string, value any) bool {
	payload, err := p.sealer.Open(text, p.binding(kind, holder), time.Now())
	return err == nil && json.Unmarshal(payload, value) == nil
}

func (p *Proxy) binding(kind, holder string) seal.Binding {
	return seal.Binding{Server: p.config.Issuer, Transport: "oauthproxy", Method: kind, Name: holder}
}

// grantData is the Data of a [Grant].
type grantData struct {
	Login

	Method string `json:",omitempty"` // methodKey if the client has to authenticate
	Begun  time.Time
	Issued time.Time // when the current refresh token was issued
}

// ticket is the content of a code or token. A code or refresh token has the version of the grant,
// and each use increases that version: so it is valid once, except for a refresh that is repeated.
type ticket struct {
	Owner, ID           string
	Version             uint64    `json:",omitempty"` // of a code or refresh token
	Redirect, Challenge string    `json:",omitempty"` // of a code
	Expires             time.Time `json:",omitzero"`  // of an access token
}

// ownerOf returns the owner of the grants of a principal.
func ownerOf(principal string) string {
	sum := sha256.Sum256([]byte(principal))
	return hex.EncodeToString(sum[:16])
}

// find returns the grant of a ticket with its data.
func (p *Proxy) find(ctx context.Context, t *ticket) (g Grant, data grantData, err error) {
	if g, err = p.config.Store.Get(ctx, t.Owner, t.ID); err == nil {
		err = json.Unmarshal(g.Data, &data)
	}
	return g, data, err
}

// Verify is the [streamhttp.TokenVerifier] of the access tokens. It reads the grant of each token
// from the store, so that revoked tokens are refused at once.
func (p *Proxy) Verify(ctx context.Context, token string) (streamhttp.Token, error) {
	var t ticket
	if !p.open(kindAccess, "", token, &t) {
		return streamhttp.Token{}, streamhttp.ErrInvalidToken
	}
	_, data, err := p.find(ctx, &t)
	if errors.Is(err, ErrNotFound) {
		return streamhttp.Token{}, fmt.Errorf("%w: its grant has ended", streamhttp.ErrInvalidToken)
	}
	return streamhttp.Token{Tenant: data.Tenant, Principal: data.Principal, Scopes: data.Scopes, Expiry: t.Expires, Audience: []string{data.Resource}}, err
}

// admit asks Config.Admit, and takes over only the changes that it may make.
func (p *Proxy) admit(ctx context.Context, login *Login) error {
	if p.config.Admit == nil {
		return nil
	}
	asked := *login
	asked.Scopes = slices.Clone(login.Scopes)
	if err := p.config.Admit(ctx, &asked); err != nil {
		return err
	}
	login.Scopes = slices.DeleteFunc(login.Scopes, func(s string) bool { return !slices.Contains(asked.Scopes, s) })
	if login.Refresh {
		return nil
	}
	login.Tenant = asked.Tenant
	if login.Principal = asked.Principal; login.Principal == "" {
		return errors.New("the function Admit has removed the Principal")
	}
	return nil
}
