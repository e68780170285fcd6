package oauthproxy

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"
	"sync"
	"time"

	"code.dny.dev/ssrf"
)

// Limits of fetching Client ID Metadata Documents, whose URLs anybody can make up.
const (
	maxDocument     = 10 << 10 // bytes; the draft recommends 5 KB
	maxDocumentURL  = 512
	maxDocuments    = 1000 // in the cache
	maxFetches      = 32   // at a time
	documentTimeout = 5 * time.Second
	documentTTL     = 5 * time.Minute // in the cache
)

// documents fetches and caches Client ID Metadata Documents
// (draft-ietf-oauth-client-id-metadata-document).
type documents struct {
	http    *http.Client
	fetches chan struct{} // semaphore

	mu    sync.Mutex
	cache map[string]cached
}

type cached struct {
	client  client
	expires time.Time
}

// newDocuments returns a cache. With a nil transport it connects only to public addresses. They are
// checked when the connection is made, so that a name cannot resolve to others after the check.
func newDocuments(transport http.RoundTripper) *documents {
	if transport == nil {
		dialer := &net.Dialer{Control: ssrf.New(ssrf.WithPorts(443)).Safe}
		transport = &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10}
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &documents{
		http:    &http.Client{Transport: transport, Timeout: documentTimeout, CheckRedirect: noRedirect},
		fetches: make(chan struct{}, maxFetches), cache: map[string]cached{},
	}
}

func documentError(reason string) error {
	return failure("invalid_client", "the document of the client cannot be used: "+reason)
}

// get returns the client whose document is at the URL id. Errors reveal nothing about the network.
func (d *documents) get(ctx context.Context, id string) (client, error) {
	u, err := url.Parse(id)
	if err != nil || !isURI(id, maxDocumentURL) || u.User != nil || strings.Contains(id, "#") || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return client{}, documentError("its URL is malformed or too long, or has a fragment, a user, no path, or empty or dot segments")
	}
	if _, err := netip.ParseAddr(u.Hostname()); err == nil || !strings.Contains(u.Host, ".") || u.Port() != "" {
		return client{}, documentError("its URL has a port, or its host is not a public name")
	}
	d.mu.Lock()
	known, ok := d.cache[id]
	d.mu.Unlock()
	if ok && time.Now().Before(known.expires) {
		return known.client, nil
	}
	select {
	case d.fetches <- struct{}{}:
		defer func() { <-d.fetches }()
	default:
		return client{}, documentError("too many are being fetched; try again")
	}
	c, err := d.fetch(ctx, id)
	if err != nil {
		return client{}, err
	}
	c.Name, c.host = visible(c.Name), u.Hostname()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.cache) >= maxDocuments {
		clear(d.cache)
	}
	d.cache[id] = cached{c, time.Now().Add(documentTTL)}
	return c, nil
}

// fetch fetches a document.
func (d *documents) fetch(ctx context.Context, id string) (c client, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, id, http.NoBody)
	if err != nil {
		return c, err
	}
	request.Header.Set("Accept", "application/json")
	response, err := d.http.Do(request)
	if err != nil {
		return c, documentError("it cannot be fetched")
	}
	defer func() { _ = response.Body.Close() }()
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return c, documentError("it cannot be fetched with status 200 as JSON")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocument))
	if err != nil {
		return c, documentError("it cannot be read")
	}
	document := struct {
		*client
		Method string          `json:"token_endpoint_auth_method"`
		Secret json.RawMessage `json:"client_secret"`
	}{client: &c, Method: "none"}
	if err := json.Unmarshal(text, &document); err != nil || c.ID != id || c.Name == "" || len(c.RedirectURIs) == 0 {
		return c, documentError("it needs client_name, redirect_uris, and its URL as client_id, in at most 10 KB")
	}
	if document.Method != "none" || document.Secret != nil {
		return c, documentError("token_endpoint_auth_method must be none")
	}
	return c, nil
}
