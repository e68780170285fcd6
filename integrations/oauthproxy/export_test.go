package oauthproxy

import "net/http"

// NewDocumentTransport returns the default transport.
func NewDocumentTransport() http.RoundTripper { return newFetcher(nil).client.Transport }

// CanRedirect reports whether a client may register a redirect URI.
func CanRedirect(uri string) bool { return new(Proxy).canRedirect(uri) }

// Matches reports whether a redirect URI equals a registered one.
func Matches(registered, uri string) bool { return matches([]string{registered}, uri) }
