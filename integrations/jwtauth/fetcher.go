package jwtauth

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/streamhttp"
)

const (
	// fetchTimeout bounds one fetch from the issuer, of the metadata and of what it names.
	fetchTimeout = 5 * time.Second
	// fetchInterval is the time between the end of a fetch and the next one, whatever the reason
	// for it.
	fetchInterval = 5 * time.Second
	// refreshAge is the age at which a value is fetched again.
	refreshAge = 10 * time.Minute
)

// fetcher keeps a value of the issuer: it fetches it on first use, and again in the background when
// it is old. At most one fetch runs at a time, in a goroutine that ends within fetchTimeout, or
// when the fetcher is closed.
type fetcher[T any] struct {
	fetch  func(ctx context.Context, previous T) (T, error)
	maxAge time.Duration // until which the value is used if it cannot be fetched again
	outage outage

	mu      sync.Mutex
	value   T
	began   time.Time     // when the fetch of the value began
	fetched time.Time     // when it ended; zero: never
	next    time.Time     // when the next fetch may begin
	failure error         // of the latest fetch; nil if it succeeded
	running chan struct{} // closed when the running fetch ends; nil if none is running
	cancel  context.CancelFunc
	closed  bool
}

// get returns the value. It waits for a fetch if there is no value, or if the value is too old because
// nothing has called get since. If that fetch fails, it returns the old value.
func (f *fetcher[T]) get(ctx context.Context) (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	age := time.Since(f.fetched)
	if age >= refreshAge {
		f.start() //nolint:contextcheck // the fetch does not end with the request
	}
	knownToFail := f.failure != nil && time.Since(f.next) < refreshAge
	if age > f.maxAge || age > 2*refreshAge && !knownToFail {
		f.wait(ctx)
	}
	if time.Since(f.fetched) <= f.maxAge {
		return f.value, nil
	}
	var none T
	return none, f.unavailable(ctx, "the issuer cannot be used; the reason is in the log, at level warn")
}

// since returns the latest value, and an error unless its fetch began at a time or later.
func (f *fetcher[T]) since(ctx context.Context, when time.Time) (T, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.began.Before(when) {
		f.start() //nolint:contextcheck // the fetch does not end with the request
		f.wait(ctx)
	}
	if f.began.Before(when) {
		return f.value, f.unavailable(ctx, "its key is unknown, and the keys cannot be fetched again yet")
	}
	return f.value, nil
}

// unavailable returns the error for a request that has to wait for the next fetch. The caller holds
// the mutex.
func (f *fetcher[T]) unavailable(ctx context.Context, reason string) error {
	if f.closed {
		reason = "the verifier is closed"
	}
	return &streamhttp.UnavailableError{RetryAfter: max(time.Until(f.next), 0), Err: errors.Join(errors.New(reason), ctx.Err()), Logged: true}
}

// wait waits for the running fetch, if there is one. The caller holds the mutex, which is released
// meanwhile.
func (f *fetcher[T]) wait(ctx context.Context) {
	running := f.running
	if running == nil {
		return
	}
	f.mu.Unlock()
	defer f.mu.Lock()
	select {
	case <-running:
	case <-ctx.Done():
	}
}

// start starts a fetch unless one is running or the latest one was too recent. The caller holds the
// mutex.
func (f *fetcher[T]) start() {
	if f.running != nil || f.closed || time.Now().Before(f.next) {
		return
	}
	f.running = make(chan struct{})
	// The fetch continues if the request ends: other requests use its result.
	ctx, cancel := context.WithTimeout(context.Background(), fetchTimeout) //nolint:gosec // run calls cancel
	f.cancel = cancel
	go f.run(ctx, f.value, time.Now())
}

// run fetches the value. If that fails, it keeps the previous one.
func (f *fetcher[T]) run(ctx context.Context, previous T, began time.Time) {
	value, err := f.fetch(ctx, previous)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cancel()
	now := time.Now()
	f.failure, f.next = err, now.Add(fetchInterval)
	switch {
	case err == nil:
		f.value, f.began, f.fetched = value, began, now
		f.outage.report(nil)
	case f.closed:
	case f.fetched.IsZero():
		f.outage.report(err)
	default:
		f.outage.report(err, "last_success", f.fetched, "used_until", f.fetched.Add(f.maxAge))
	}
	close(f.running)
	f.running = nil
}

// close cancels the running fetch and waits for its end. No other is started after that.
func (f *fetcher[T]) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	if f.running != nil {
		f.cancel()
		f.wait(context.Background())
	}
}
