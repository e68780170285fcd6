package oauthproxy

import (
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// Limits of Client ID Metadata Documents.
const (
	maxDocument    = 10 << 10 // bytes; the draft recommends 5 KB
	maxDocumentURL = 512
)

// documentHost matches the beginning of a URL whose host is a public name, and not an address, without user and port.
var documentHost = regexp.MustCompile(`^https://([A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*/`)

// documented returns the client whose Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document) is at
// the URL id, for a request from an address.
func (p *Proxy) documented(ctx context.Context, id string, address netip.Addr) (client, error) {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxDocumentURL || !uriText.MatchString(id) || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return client{}, unusable("its URL is malformed or too long, or has a fragment, no path, or empty or dot segments")
	}
	if !documentHost.MatchString(id) {
		return client{}, unusable("its URL has a user or port, or its host is not a public name")
	}
	return p.documents.get(ctx, id, strings.ToLower(u.Hostname()), address, freshFor)
}

// unusable returns the error for a document. Reasons reveal nothing about the network.
func unusable(reason string) error {
	return failure("invalid_client", "the document of the client cannot be used: "+reason)
}

// parseDocument checks the document at the URL id.
func parseDocument(id string, text []byte) (client, error) {
	var document struct {
		client
		Method string          `json:"token_endpoint_auth_method"`
		Secret json.RawMessage `json:"client_secret"`
	}
	err := json.Unmarshal(text, &document)
	switch c := document.client; {
	case err != nil || c.ID != id || c.Name == "" || len(c.RedirectURIs) == 0:
		return client{}, unusable("it needs client_name, redirect_uris, and its URL as client_id, in at most 10 KB")
	case document.Method != "" && document.Method != "none" || document.Secret != nil:
		return client{}, unusable("token_endpoint_auth_method must be none")
	default:
		u, _ := url.Parse(id) // valid, see documented
		c.Name, c.host = visible(c.Name), u.Hostname()
		return c, nil
	}
}
