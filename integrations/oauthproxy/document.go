package oauthproxy

import (
	"cmp"
	"context"
	"encoding/json"
	"net/netip"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

// Limits of Client ID Metadata Documents.
const (
	maxDocument    = 10 << 10 // bytes; the draft recommends 5 KB
	maxDocumentURL = 512
)

// documentHost matches the beginning of a URL whose host is a public name, and not an address, without user and port.
var documentHost = regexp.MustCompile(`^https://([A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*/`)

// documented returns the client whose Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document) is at
// the URL id, for a request from an address. It was fetched less than maxAge ago.
func (p *Proxy) documented(ctx context.Context, id string, address netip.Addr, maxAge time.Duration) (client, error) {
	if p.config.DisableDocuments {
		return client{}, errDocuments
	}
	u, err := url.Parse(id)
	if err != nil || len(id) > maxDocumentURL || !uriText.MatchString(id) || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return client{}, unusable("its URL is malformed or too long, or has a fragment, no path, or empty or dot segments")
	}
	if !documentHost.MatchString(id) {
		return client{}, unusable("its URL has a user or port, or its host is not a public name")
	}
	return p.documents.get(ctx, id, strings.ToLower(u.Hostname()), address, maxAge)
}

// canFetch reports whether a URL may be fetched. The address of its host is checked later.
func canFetch(location string) bool {
	_, err := url.Parse(location)
	return err == nil && len(location) <= maxDocumentURL && uriText.MatchString(location) && documentHost.MatchString(location)
}

// unusable returns the error for a document. Reasons reveal nothing about the network.
func unusable(reason string) error {
	return failure("invalid_client", "the document of the client cannot be used: "+reason)
}

// parseDocument checks the document at the URL id.
func parseDocument(id string, text []byte) (client, error) {
	var document struct {
		client
		Method    string           `json:"token_endpoint_auth_method"`
		Methods   []string         `json:"token_endpoint_auth_methods_supported"` // not registered; ChatGPT lists all methods that it has
		Algorithm string           `json:"token_endpoint_auth_signing_alg"`
		Secret    *json.RawMessage `json:"client_secret"`
		Keys      *json.RawMessage `json:"jwks"`
		KeysURL   string           `json:"jwks_uri"`
	}
	err := json.Unmarshal(text, &document)
	c := document.client
	switch {
	case err != nil || c.ID != id || c.Name == "" || len(c.RedirectURIs) == 0:
		return client{}, unusable("it needs client_name, redirect_uris, and its URL as client_id, in at most 10 KB")
	case document.Secret != nil:
		return client{}, unusable("it must not have a client_secret")
	}
	methods := document.Methods
	if document.Method != "" || len(methods) == 0 {
		methods = append(methods, cmp.Or(document.Method, methodNone))
	}
	switch {
	case slices.Contains(methods, methodNone):
		c.method = methodNone
	case slices.Contains(methods, methodKey):
		c.method = methodKey
	default:
		return client{}, unusable("token_endpoint_auth_method must be none or private_key_jwt")
	}
	c.algorithm, c.keysURL = document.Algorithm, document.KeysURL
	if document.Keys != nil {
		c.keys, err = parseKeys(id, *document.Keys)
	}
	switch {
	case c.method == methodNone: // the keys do not matter, unless the client sends an assertion nevertheless
	case err != nil:
		return client{}, err
	case c.algorithm != "" && !slices.Contains(algorithms, jose.SignatureAlgorithm(c.algorithm)):
		return client{}, unusable("token_endpoint_auth_signing_alg must be an asymmetric algorithm, such as ES256 or RS256")
	case (c.keys == nil) == (c.keysURL == ""):
		return client{}, unusable("private_key_jwt needs either jwks or jwks_uri")
	}
	if c.keysURL != "" && !canFetch(c.keysURL) {
		if c.keysURL = ""; c.method == methodKey {
			return client{}, unusable("its jwks_uri is not https, is malformed or too long, has a user, port or fragment, or its host is not a public name")
		}
	}
	u, _ := url.Parse(id) // valid, see documented
	c.Name, c.host = visible(c.Name), u.Hostname()
	return c, nil
}
