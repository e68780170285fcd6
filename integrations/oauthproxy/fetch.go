package oauthproxy

import (
	"context"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"code.dny.dev/ssrf"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/outbound"
)

// Limits of fetching documents of clients, whose URLs anybody can make up.
const (
	maxFetches        = 32              // at a time
	maxHostFetches    = 4               // at a time, from one host
	maxAddressFetches = 8               // for one address, with those that wait
	maxPending        = 256             // with those that wait
	fetchWait         = 2 * time.Second // for other fetches to end, for each of the two limits
	fetchTimeout      = 5 * time.Second
)

// Limits of the cache.
const (
	freshFor   = 5 * time.Minute // or less, see freshness
	staleFor   = time.Hour       // during an overload
	maxCached  = 1000
	maxPerHost = 10 // so that one host cannot displace the documents of others
)

// errBusy is the error for a document that cannot be fetched because too many others are.
var errBusy = failure("temporarily_unavailable", "too many documents of clients are being fetched; try again in a few seconds")

// errUnfetched is the error for a document whose server does not answer, or answers with status 429 or 5xx.
var errUnfetched = unusable("it cannot be fetched")

// fetcher fetches documents of clients. Slow hosts, and addresses that request many documents, delay only themselves:
// each has a share of the fetches, and those that wait are served in turns.
type fetcher struct {
	client    *http.Client
	slots     *admission.Semaphore
	hosts     *outbound.KeyedSemaphore[string]
	addresses *admission.Share
}

// newFetcher returns a fetcher. With a nil transport it connects only to public addresses. They are checked when the
// connection is made, so that a name cannot resolve to others after the check.
func newFetcher(transport http.RoundTripper) *fetcher {
	if transport == nil {
		dialer := &net.Dialer{Control: ssrf.New(ssrf.WithPorts(443)).Safe}
		transport = &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, DisableKeepAlives: true, MaxResponseHeaderBytes: 16 << 10}
	}
	noRedirect := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &fetcher{
		client:    &http.Client{Transport: transport, Timeout: fetchTimeout, CheckRedirect: noRedirect},
		slots:     admission.NewSemaphore(maxFetches),
		addresses: admission.NewShare(maxPending, maxAddressFetches),
		hosts:     outbound.NewKeyedSemaphore[string](maxHostFetches),
	}
}

// acquire waits until a document may be fetched from a host, for the client at an address. The error is errBusy.
func (f *fetcher) acquire(ctx context.Context, host string, address netip.Addr) (release func(), err error) {
	client, waiter := admission.AddressCaller(address), admission.AddressCaller(address)
	if outbound.IsShared(address) {
		client, waiter = admission.Trusted, admission.PrincipalCaller("", host)
	}
	if f.addresses.Take(client, 1, admission.Within) != nil {
		return nil, errBusy
	}
	releaseHost, err := f.hosts.Acquire(ctx, host, waiter, fetchWait)
	if err != nil {
		f.addresses.Give(client, 1)
		return nil, errBusy
	}
	leave := func() {
		releaseHost()
		f.addresses.Give(client, 1)
	}
	if f.slots.Acquire(ctx, waiter, fetchWait) != nil {
		leave()
		return nil, errBusy
	}
	return func() {
		f.slots.Release()
		leave()
	}, nil
}

// fetch fetches the JSON at a URL, of at most limit bytes, and returns how long it may be used.
func (f *fetcher) fetch(ctx context.Context, url string, limit int64) (text []byte, fresh time.Duration, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return nil, 0, unusable("its URL is malformed")
	}
	request.Header.Set("Accept", "application/json")
	response, err := f.client.Do(request)
	if err != nil {
		return nil, 0, errUnfetched
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode >= http.StatusInternalServerError || response.StatusCode == http.StatusTooManyRequests {
		return nil, 0, errUnfetched
	}
	media, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || media != "application/json" && !strings.HasSuffix(media, "+json") {
		return nil, 0, unusable("it cannot be fetched with status 200 as JSON")
	}
	if text, err = io.ReadAll(io.LimitReader(response.Body, limit)); err != nil {
		return nil, 0, errUnfetched
	}
	return text, freshness(response.Header), nil
}

// freshness returns how long a response may be used without asking again.
func freshness(header http.Header) time.Duration {
	fresh := freshFor
	for directive := range strings.SplitSeq(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.ToLower(strings.TrimSpace(directive)), "=")
		switch name {
		case "no-store", "no-cache":
			return 0
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err == nil {
				fresh = min(fresh, time.Duration(seconds)*time.Second)
			}
		}
	}
	return fresh
}

// documents fetches and caches documents of one kind. Invalid ones are not cached, so that they can be repaired.
type documents[T any] struct {
	*fetcher

	limit int64 // bytes of a document
	parse func(url string, text []byte) (T, error)

	mu     sync.Mutex
	cached map[string]*document[T] // by URL
}

// document is a valid document.
type document[T any] struct {
	value   T
	host    string
	fetched time.Time
	fresh   time.Duration
}

func newDocuments[T any](f *fetcher, limit int64, parse func(url string, text []byte) (T, error)) *documents[T] {
	return &documents[T]{fetcher: f, limit: limit, parse: parse, cached: map[string]*document[T]{}}
}

// get returns the document at a URL, whose host is given, for the client at an address: from the cache, if it was fetched
// less than maxAge ago, or during an overload less than staleFor ago.
func (d *documents[T]) get(ctx context.Context, url, host string, address netip.Addr, maxAge time.Duration) (T, error) {
	if known := d.find(url, maxAge); known != nil {
		return known.value, nil
	}
	release, err := d.acquire(ctx, host, address)
	if err != nil {
		if known := d.find(url, 0); known != nil && time.Since(known.fetched) < staleFor {
			return known.value, nil
		}
		return *new(T), err
	}
	defer release()
	if known := d.find(url, maxAge); known != nil { // fetched by another request, while this one has waited
		return known.value, nil
	}
	text, fresh, err := d.fetch(ctx, url, d.limit)
	var value T
	if err == nil {
		value, err = d.parse(url, text)
	}
	if err != nil {
		if ctx.Err() == nil {
			d.drop(url)
		}
		return *new(T), err
	}
	d.put(url, &document[T]{value: value, host: host, fetched: time.Now(), fresh: fresh})
	return value, nil
}

// find returns a document in the cache that was fetched less than maxAge ago and is fresh, or with zero any.
func (d *documents[T]) find(url string, maxAge time.Duration) *document[T] {
	d.mu.Lock()
	defer d.mu.Unlock()
	known := d.cached[url]
	if known != nil && maxAge > 0 && time.Since(known.fetched) >= min(known.fresh, maxAge) {
		return nil
	}
	return known
}

// drop removes a document that has become invalid or unavailable.
func (d *documents[T]) drop(url string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.cached, url)
}

// put caches a document. If there are too many, or too many of its host, it replaces the oldest one.
func (d *documents[T]) put(url string, added *document[T]) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.cached, url)
	if added.fresh == 0 {
		return
	}
	var all, ofHost []string
	for other, known := range d.cached {
		if all = append(all, other); known.host == added.host {
			ofHost = append(ofHost, other)
		}
	}
	older := func(a, b string) int { return d.cached[a].fetched.Compare(d.cached[b].fetched) }
	if len(ofHost) >= maxPerHost {
		delete(d.cached, slices.MinFunc(ofHost, older))
	} else if len(all) >= maxCached {
		delete(d.cached, slices.MinFunc(all, older))
	}
	d.cached[url] = added
}
