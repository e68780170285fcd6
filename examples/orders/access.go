package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/integrations/jwtauth"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// serveHTTP serves over HTTP. Its access tokens are in TOKENS, or are JWTs of the issuer whose audience is this server.
func serveHTTP(ctx context.Context, c config, srv *runtime.Server, opts ...streamhttp.ServeOption) error {
	if c.issuer == "" {
		tokens, err := staticTokens(c.tokens)
		if err != nil {
			return err
		}
		return streamhttp.ListenAndServe(ctx, c.addr, srv, append(opts, tokens)...)
	}
	if c.tokens != "" {
		return errors.New("TOKENS and OIDC_ISSUER: set one of them")
	}
	verifier, err := jwtauth.New(jwtauth.Options{Issuer: c.issuer, Logger: srv.Logger})
	if err != nil {
		return err
	}
	defer verifier.Close() //nolint:contextcheck // it ends its requests for keys
	guard, err := streamhttp.Protect(verifier.Verify, streamhttp.ProtectedResource{
		Resource: c.public, AuthorizationServers: []string{c.issuer},
		Scopes: []string{"orders:read", "orders:refund", "orders:export"}, // which most users need
	})
	if err != nil {
		return fmt.Errorf("PUBLIC_URL and OIDC_ISSUER: %w", err)
	}
	return streamhttp.ListenAndServe(ctx, c.addr, srv, append(opts, guard)...)
}

// staticTokens returns the option for access tokens, one "token principal scope…" per line.
func staticTokens(lines string) (streamhttp.Option, error) {
	tokens := map[string]streamhttp.Token{}
	for line := range strings.Lines(lines) {
		switch words := strings.Fields(line); len(words) {
		case 0:
		case 1:
			return nil, errors.New("TOKENS: a line is a token, a principal, and its scopes")
		default:
			tokens[words[0]] = streamhttp.Token{Principal: words[1], Scopes: words[2:]}
		}
	}
	if len(tokens) == 0 {
		return nil, errors.New("over HTTP, TOKENS must have access tokens if there is no OIDC_ISSUER, such as: s3cret ada orders:read orders:refund orders:export orders:sql")
	}
	return streamhttp.StaticTokens(tokens), nil
}
