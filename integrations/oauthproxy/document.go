package oauthproxy

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// Limits of fetching Client ID Metadata Documents, whose URLs anybody can make up.
const (
	maxDocument     = 10 << 10 // bytes; the draft recommends 5 KB
	maxDocumentURL  = 512
	maxFetches      = 32 // at a time
	documentTimeout = 5 * time.Second
)

// documentHost matches the beginning of a URL whose host is a public name, and not an address, without user and port.
var documentHost = regexp.MustCompile(`^https://([A-Za-z0-9-]+\.)+[A-Za-z][A-Za-z0-9-]*/`)

// newDocumentClient returns the client that fetches documents. With a nil transport it connects only to public
// addresses. They are checked when the connection is made, so that a name cannot resolve to others after the check.
func newDocumentClient(transport http.RoundTripper) *http.Client {
	if transport == nil {
		dialer := &net.Dialer{Control: ssrf.New(ssrf.WithPorts(443)).Safe}
		transport = &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10}
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &http.Client{Transport: transport, Timeout: documentTimeout, CheckRedirect: noRedirect}
}

// documented returns the client whose Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document) is at
// the URL id. It is fetched for each login, so that changes apply at once.
func (p *Proxy) documented(ctx context.Context, id string) (client, error) {
	u, err := url.Parse(id)
	if err != nil || len(id) > maxDocumentURL || !uriText.MatchString(id) || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return unusable("its URL is malformed or too long, or has a fragment, no path, or empty or dot segments")
	}
	if !documentHost.MatchString(id) {
		return unusable("its URL has a user or port, or its host is not a public name")
	}
	select {
	case p.fetches <- struct{}{}:
		defer func() { <-p.fetches }()
	default:
		return unusable("too many are being fetched; try again")
	}
	c, err := p.fetchDocument(ctx, id)
	c.Name, c.host = visible(c.Name), u.Hostname()
	return c, err
}

// unusable returns the error for a document. Reasons reveal nothing about the network.
func unusable(reason string) (client, error) {
	return client{}, failure("invalid_client", "the document of the client cannot be used: "+reason)
}

// fetchDocument fetches and checks a document.
func (p *Proxy) fetchDocument(ctx context.Context, id string) (client, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, http.NoBody)
	if err != nil {
		return client{}, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := p.documents.Do(request)
	if err != nil {
		return unusable("it cannot be fetched")
	}
	defer func() { _ = response.Body.Close() }()
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return unusable("it cannot be fetched with status 200 as JSON")
	}
	var document struct {
		client
		Method string          `json:"token_endpoint_auth_method"`
		Secret json.RawMessage `json:"client_secret"`
	}
	err = json.NewDecoder(io.LimitReader(response.Body, maxDocument)).Decode(&document)
	switch c := document.client; {
	case err != nil || c.ID != id || c.Name == "" || len(c.RedirectURIs) == 0:
		return unusable("it needs client_name, redirect_uris, and its URL as client_id, in at most 10 KB")
	case document.Method != "" && document.Method != "none" || document.Secret != nil:
		return unusable("token_endpoint_auth_method must be none")
	default:
		return c, nil
	}
}
