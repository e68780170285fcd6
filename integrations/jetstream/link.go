package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"
)

const (
	// requestTime is the timeout of a request to the server.
	requestTime = 5 * time.Second
	// pingInterval and maxPings detect a silently broken connection, early enough for a lease.
	pingInterval = 2 * time.Second
	maxPings     = 2
	// longestPause is the maximum pause between reconnection attempts: clients learn of changes elsewhere within about
	// two seconds after an interruption.
	longestPause = time.Second
)

var errNoAnswer = fmt.Errorf("%w: no answer within %v; a stream needs a majority of the nodes that keep it, and room on their disks", ErrUnavailable, requestTime)

// link is the connection to the server. It reports at once when the connection breaks, also to waiting requests.
type link struct {
	nc     *nats.Conn
	js     natsjs.JetStream
	log    *slog.Logger
	missed func() // called when messages may have been lost and are delivered again

	mu    sync.Mutex
	up    context.Context // ends when the connection breaks, with the reason as its cause
	lose  context.CancelCauseFunc
	count int // number of connections so far
}

// newLink connects to the server. It calls missed after each interruption.
func newLink(address string, opts Options, missed func(), more ...nats.Option) (*link, error) {
	urls, hosts, err := parseAddress(address)
	if err != nil {
		return nil, err
	}
	l := &link{log: opts.Logger.With(slog.String("server", hosts)), missed: missed}
	l.up, l.lose = context.WithCancelCause(context.Background())
	config := nats.GetDefaultOptions()
	config.Servers = urls
	config.Name = "mcptool " + opts.Name
	for _, option := range append(more, opts.NATS...) {
		if err := option(&config); err != nil {
			return nil, fmt.Errorf("jetstream: an option of Options.NATS: %w", err)
		}
	}
	l.configure(&config)
	nc, err := config.Connect()
	if err != nil {
		return nil, fmt.Errorf("%w: cannot connect to %s: %w", ErrUnavailable, hosts, err)
	}
	l.nc = nc
	if l.js, err = natsjs.New(nc); err != nil {
		nc.Close()
		return nil, fmt.Errorf("jetstream: %w", err)
	}
	return l, nil
}

// configure sets the options required by the link, and preserves existing handlers.
func (l *link) configure(config *nats.Options) {
	config.AllowReconnect, config.MaxReconnect, config.IgnoreAuthErrorAbort = true, -1, true
	config.RetryOnFailedConnect = false
	config.ReconnectBufSize = -1 // without a connection, requests fail at once
	config.PingInterval, config.MaxPingsOut = pingInterval, maxPings
	config.CustomReconnectDelayCB = reconnectPause
	lost, back, failed := config.DisconnectedErrCB, config.ReconnectedCB, config.AsyncErrorCB
	config.AsyncErrorCB = func(nc *nats.Conn, sub *nats.Subscription, err error) { // the default writes to stderr
		l.log.Warn("the NATS client reports an error", slog.Any("error", err))
		if errors.Is(err, nats.ErrSlowConsumer) {
			l.missed()
		}
		if failed != nil {
			failed(nc, sub, err)
		}
	}
	config.DisconnectedErrCB = func(nc *nats.Conn, err error) {
		l.disconnected(err)
		if lost != nil {
			lost(nc, err)
		}
	}
	config.ReconnectedCB = func(nc *nats.Conn) {
		l.reconnected()
		if back != nil {
			back(nc)
		}
	}
}

// reconnectPause grows from about 50 ms to [longestPause]. Half of it is random, so that instances do not all reconnect
// at the same time.
func reconnectPause(attempts int) time.Duration {
	pause := min(100*time.Millisecond<<min(attempts, 10), longestPause)
	return pause/2 + rand.N(pause/2) //nolint:gosec // need not be unpredictable
}

func (l *link) disconnected(err error) {
	reason := ErrUnavailable
	if err != nil {
		reason = fmt.Errorf("%w: the connection is broken: %w", ErrUnavailable, err)
	}
	l.mu.Lock()
	closed := errors.Is(context.Cause(l.up), ErrClosed)
	if !closed {
		l.lose(reason)
	}
	l.mu.Unlock() // the handler of a logger may use the connection
	if closed {
		return
	}
	l.log.Warn("the connection to the NATS server is broken", slog.Any("error", err))
}

func (l *link) reconnected() {
	l.mu.Lock()
	if errors.Is(context.Cause(l.up), ErrClosed) {
		l.mu.Unlock()
		return
	}
	l.lose(ErrUnavailable) // of the previous connection
	l.up, l.lose = context.WithCancelCause(context.Background())
	l.count++
	l.mu.Unlock()
	l.log.Info("the connection to the NATS server is back")
	l.missed()
}

// broken returns why there is no connection; nil if there is one.
func (l *link) broken() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return context.Cause(l.up)
}

// denied returns an error if the server has reported a permission violation so far.
func (l *link) denied() error {
	if err := l.nc.LastError(); errors.Is(err, nats.ErrPermissionViolation) {
		return fmt.Errorf("jetstream: the user of the connection has too few permissions, see the documentation of the package: %w", err)
	}
	return nil
}

// connection returns the number of the current connection.
func (l *link) connection() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// whenBroken calls f with the reason when the current connection breaks, unless stop is called first.
func (l *link) whenBroken(f func(error)) (stop func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	up := l.up
	return context.AfterFunc(up, func() { f(context.Cause(up)) })
}

// close makes all requests return [ErrClosed], and closes the connection.
func (l *link) close() {
	l.mu.Lock()
	l.lose(ErrClosed)
	if !errors.Is(context.Cause(l.up), ErrClosed) { // it was broken
		l.up, l.lose = context.WithCancelCause(context.Background())
		l.lose(ErrClosed)
	}
	l.mu.Unlock()
	l.nc.Close()
}

// request calls f, which sends a request and waits for the response until its context ends: when ctx ends, when the
// connection breaks, or after [requestTime]. It explains the error of f.
func request[T any](ctx context.Context, l *link, f func(context.Context) (T, error)) (T, error) {
	var none T
	if err := ctx.Err(); err != nil {
		return none, err
	}
	if err := l.broken(); err != nil {
		return none, err
	}
	limited, cancel := context.WithTimeoutCause(ctx, requestTime, errNoAnswer)
	defer cancel()
	limited, end := context.WithCancelCause(limited)
	defer end(nil)
	defer l.whenBroken(end)() //nolint:contextcheck // the connection outlives ctx
	value, err := f(limited)
	switch {
	case err == nil:
		return value, nil
	case ctx.Err() != nil:
		return none, ctx.Err()
	case limited.Err() != nil && errors.Is(err, limited.Err()):
		return none, context.Cause(limited)
	}
	return none, l.explain(err)
}

// firstWait is how long retry waits for the first response; the time doubles with each attempt.
const firstWait = 700 * time.Millisecond

// retry is request for idempotent operations. It repeats a request without a response: a stream with a dead leader does
// not respond, and the leader elected after a few seconds never received the request.
func retry[T any](ctx context.Context, l *link, f func(context.Context) (T, error)) (T, error) {
	return request(ctx, l, func(ctx context.Context) (T, error) {
		for wait := firstWait; ; wait *= 2 {
			attempt, cancel := context.WithTimeout(ctx, wait)
			value, err := f(attempt)
			unanswered := err != nil && attempt.Err() != nil
			cancel()
			if !unanswered || ctx.Err() != nil {
				return value, err
			}
		}
	})
}

// explain is the func explain, except that the NATS client also reports a newly broken connection as closed.
func (l *link) explain(err error) error {
	if err = explain(err); errors.Is(err, ErrClosed) && !errors.Is(l.broken(), ErrClosed) {
		return fmt.Errorf("%w: the connection is broken", ErrUnavailable)
	}
	return err
}

// flush waits until the server has received all messages sent so far.
func (l *link) flush(ctx context.Context) error {
	_, err := request(ctx, l, func(ctx context.Context) (struct{}, error) { return struct{}{}, l.nc.FlushWithContext(ctx) })
	return err
}

// parseAddress returns the URLs of an address, and their hosts for display: a URL may have a password or a token.
func parseAddress(address string) (urls []string, hosts string, err error) {
	var shown []string
	for i, text := range strings.Split(address, ",") {
		text = strings.TrimSpace(text)
		if text == "" {
			return nil, "", fmt.Errorf("jetstream: URL %d of the address is empty", i+1)
		}
		if !strings.Contains(text, "://") {
			text = "nats://" + text // as the NATS client does
		}
		u, err := url.Parse(text)
		// The error would quote the URL. An unescaped character may also end the host in the middle of a password.
		if err != nil || u.Host == "" || strings.Count(text, "@") > 1 || u.User == nil && strings.Contains(text, "@") {
			return nil, "", fmt.Errorf("jetstream: URL %d of the address is not valid: write nats://user:password@host:port, and percent-encode special characters in the user, password and token, such as %%2F for /", i+1)
		}
		urls, shown = append(urls, text), append(shown, u.Host)
	}
	return urls, strings.Join(shown, ","), nil
}
