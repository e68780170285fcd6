package jwtauth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/json"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/outbound"
	"github.com/mcptool-go/mcptool/streamhttp"
)

const (
	// maxIntrospections bounds concurrent requests to the endpoint, and maxAddressIntrospections
	// those for one address. Clients without a valid token can cause them.
	maxIntrospections        = 32
	maxAddressIntrospections = 8
	// staleFor is how long the result for a valid token is used after it has expired, while too many
	// other tokens are being introspected, and staleWait is how long its request waits before.
	staleFor  = 5 * time.Minute
	staleWait = 500 * time.Millisecond
	// inactiveFor is how long a token that the issuer calls inactive is refused without asking
	// again.
	inactiveFor = 10 * time.Second
	// maxIntrospectedFor limits the Expiry of introspected tokens, with which event streams end. It
	// is longer than results are cached, so that a result in the cache has not expired.
	maxIntrospectedFor = 10 * time.Minute
)

// fetchEndpoint returns the URL of the introspection endpoint.
func (v *Verifier) fetchEndpoint(ctx context.Context, _ string) (string, error) {
	if v.opt.Introspection.URL != "" {
		return v.opt.Introspection.URL, nil
	}
	m, err := v.issuer.metadata(ctx)
	if err != nil {
		return "", err
	}
	return v.issuer.sameHost("introspection_endpoint", m.Introspection, "Introspection.URL")
}

// errOverload means that a token was not introspected because too many others were.
var errOverload = errors.New("too many tokens are being introspected")

// introspect verifies a token by asking the issuer. Concurrent requests with one token ask once.
func (v *Verifier) introspect(ctx context.Context, text string, h *hash) (streamhttp.Token, error) {
	if r := v.inactive.get(h, time.Now()); r != nil {
		return streamhttp.Token{}, r.err
	}
	answer, err, _ := v.asking.Do(string(h[:]), func() (any, error) {
		// The others also wait for the answer if the client of the first request has disconnected.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fetchTimeout)
		defer cancel()
		wait, stale := time.Duration(0), v.stale(h)
		if stale != nil {
			wait = staleWait
		}
		token, err := v.ask(ctx, text, wait)
		switch {
		case err == nil:
			v.remember(h, token)
		case errors.Is(err, errOverload) && stale != nil:
			return stale.token, nil
		case errors.Is(err, streamhttp.ErrInvalidToken) && v.opt.CacheFor > 0:
			v.cached.remove(h)
			v.inactive.put(h, &result{err: err, until: time.Now().Add(min(inactiveFor, v.opt.CacheFor))})
		}
		return token, err
	})
	token, _ := answer.(streamhttp.Token)
	return token, err
}

// stale returns the result for a valid token that may be used during an overload; nil if there is none.
func (v *Verifier) stale(h *hash) *result {
	now := time.Now()
	r := v.cached.get(h, now.Add(-staleFor))
	if r == nil || !r.token.Expiry.IsZero() && !now.Before(r.token.Expiry) {
		return nil
	}
	return r
}

// acquire waits until a token may be introspected for the client at the address of ctx. The error is errOverload.
func (v *Verifier) acquire(ctx context.Context, wait time.Duration) (release func(), err error) {
	address := streamhttp.ClientAddress(ctx)
	who, leave := admission.AddressCaller(address), func() {}
	if wait > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, wait)
		defer cancel()
	}
	if !outbound.IsShared(address) {
		if leave, err = v.addresses.Acquire(ctx, who, who, 0); err != nil {
			return nil, errOverload
		}
	}
	if v.slots.Acquire(ctx, who, 0) != nil {
		leave()
		return nil, errOverload
	}
	return func() {
		v.slots.Release()
		leave()
	}, nil
}

// ask asks the issuer about a token. It waits for the end of other requests for a time; zero means until ctx ends.
func (v *Verifier) ask(ctx context.Context, text string, wait time.Duration) (streamhttp.Token, error) {
	endpoint, err := v.endpoint.get(ctx)
	if err != nil {
		return streamhttp.Token{}, err
	}
	release, err := v.acquire(ctx, wait)
	if err != nil {
		return streamhttp.Token{}, v.unanswered(err)
	}
	defer release()
	form := url.Values{"token": {text}, "token_type_hint": {"access_token"}}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return streamhttp.Token{}, err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.SetBasicAuth(url.QueryEscape(v.opt.Introspection.ClientID), url.QueryEscape(v.opt.Introspection.ClientSecret))
	var answer json.RawMessage
	var state struct {
		Active any `json:"active"`
	}
	var p payload
	if err = v.issuer.do(r, &answer); err == nil {
		err = json.Unmarshal(answer, &state)
	}
	if err == nil && state.Active == true {
		err = json.Unmarshal(answer, &p) // of an inactive token the other members do not matter
	}
	if err != nil {
		return streamhttp.Token{}, v.unanswered(err)
	}
	v.outage.report(nil)
	switch {
	case state.Active != true:
		return streamhttp.Token{}, invalid(errors.New("the issuer calls it inactive"))
	case len(p.Audience) == 0 && !v.opt.Introspection.AllowNoAudience:
		return streamhttp.Token{}, invalid(errors.New("the answer has no aud; if the endpoint calls tokens for other servers inactive, set AllowNoAudience"))
	}
	if err = v.check(&p); err != nil {
		return streamhttp.Token{}, invalid(err)
	}
	return v.grant(&p, answer)
}

// unanswered returns the error for a token that could not be introspected.
func (v *Verifier) unanswered(err error) error {
	v.outage.report(err)
	return &streamhttp.UnavailableError{Err: err, Logged: true}
}
