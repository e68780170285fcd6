package client

import (
	"context"
	"net/http"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// accessTokens returns a function that gets an access token with the client credentials of OAuth 2, and keeps it until shortly
// before it expires. Two calls at the same time may both get one, so that neither waits for a call whose context it does not know.
func accessTokens(tokenURL string, scopes ...string) func(ctx context.Context, client *http.Client, id, secret string) (string, error) {
	var (
		mu    sync.Mutex
		owner [2]string // the id and secret of token
		token *oauth2.Token
	)
	return func(ctx context.Context, client *http.Client, id, secret string) (string, error) {
		mu.Lock()
		cached, valid := token, owner == [2]string{id, secret} && token.Valid()
		mu.Unlock()
		if valid {
			return cached.AccessToken, nil
		}
		config := clientcredentials.Config{ClientID: id, ClientSecret: secret, TokenURL: tokenURL, Scopes: scopes}
		fresh, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, client))
		if err != nil {
			return "", err
		}
		mu.Lock()
		owner, token = [2]string{id, secret}, fresh
		mu.Unlock()
		return fresh.AccessToken, nil
	}
}
