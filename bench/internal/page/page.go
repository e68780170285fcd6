package page

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// Options configure a Page.
type Options struct {
	// Dial connects to the server. It must pass o on, and may set its Era, Timeout, Stderr and Transport.
	Dial func(ctx context.Context, o client.Options) (*client.Client, error)
	// Target is the TARGET of the server, as bench call takes it at the end of a line, for "copy as bench call".
	Target []string
	// Redact removes secrets from the messages of the protocol, copied command lines and errors; nil changes nothing.
	Redact func(string) string
	// Save writes the messages of the newest connection as a transcript; nil means that the page does not offer one. A
	// message that is too large to be recorded has no Text.
	Save func(w io.Writer, messages []Message) error
}

// A Build is the state of the program that is served.
type Build struct {
	State   string    `json:"state"`   // "ok", "building" or "broken"
	Version int       `json:"version"` // the number of the build
	Text    string    `json:"text"`    // of a broken build: the output of the compiler
	Changes []string  `json:"changes"` // what the build changes for clients, a line each
	Time    time.Time `json:"time"`
	// KeepLast lets the last version answer calls while the build is broken. By default they fail with Text, because
	// an answer of the last version would mislead an author who has just changed it.
	KeepLast bool `json:"keepLast"`
}

// A Page serves the page of one server, see [Page.Listen]. It is safe for concurrent use.
type Page struct {
	options Options
	token   string
	server  *http.Server // of all listeners; its requests end with ctx
	routes  http.Handler
	ctx     context.Context // ends with Close, under the lock
	stop    context.CancelFunc
	work    sync.WaitGroup // what Close waits for; added to under the lock before ctx ends, or within other work
	streams atomic.Int32   // the number of open streams

	mu       sync.Mutex
	changes  int           // the number of the newest change
	changed  chan struct{} // closed and replaced at each change
	build    *Build
	version  int      // of the build that session is connected to, or connects to
	session  *session // nil before the first connection
	listed   state    // the newest lists, also of an earlier session, without the rest of the state
	calls    []*call  // oldest first
	lastCall int
	messages messages
	// The numbers of the newest changes of the state and of messages.
	stateChange, messageChange int
}

// New returns a page. It connects to the server when it is first used, or by [Page.Connect].
func New(o Options) *Page {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	var token [16]byte
	_, _ = rand.Read(token[:]) // never fails
	p := &Page{options: o, token: hex.EncodeToString(token[:]), changed: make(chan struct{}), listed: emptyState()}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.routes = p.newRoutes()
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(slog.DiscardHandler, slog.LevelError), // browsers close connections
		BaseContext:       func(net.Listener) context.Context { return p.ctx },
	}
	p.stateChange = p.changeLocked()
	return p
}

// errClosed is the error of everything that is begun after Close.
var errClosed error = &statusError{http.StatusServiceUnavailable, "the page is closed"}

// Listen serves the page at a loopback address, see [loopback.Listen], until Close, and returns its URL, which contains the
// token.
func (p *Page) Listen(addr string) (url string, err error) {
	l, err := loopback.Listen(p.ctx, addr)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ctx.Err() != nil {
		return "", errors.Join(errClosed, l.Close())
	}
	p.work.Go(func() { _ = p.server.Serve(l) }) // ends with Close
	return "http://" + l.Addr().String() + "/" + p.token + "/", nil
}

// Connect connects to the server, unless the page is connected, and returns why that fails.
func (p *Page) Connect(ctx context.Context) error {
	s, err := p.acquire(ctx)
	if err == nil {
		s.users.Done()
	}
	return err
}

// Show shows the state of the build. A new Version with the State "ok" is connected to; calls that run end on the
// connection to the previous version. New calls wait for the end of a build, and fail if it is broken, see
// [Build.KeepLast].
func (p *Page) Show(b Build) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.State == "ok" && b.Version != p.version && p.ctx.Err() == nil {
		p.version = b.Version
		p.connectLocked()
	}
	p.build, p.stateChange = &b, p.changeLocked()
}

// awaitBuild waits for the end of a build. It returns why the call cannot run.
func (p *Page) awaitBuild(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.awaitLocked(ctx, func() bool { return p.build == nil || p.build.State != "building" })
	if b := p.build; err == nil && b != nil && b.State == "broken" && !b.KeepLast {
		err = errors.New("the new version of the server cannot be used, so the call has not run:\n" + b.Text)
	}
	return err
}

// Close closes the listeners and the connections to the server and to browsers. When it returns, no goroutine of the page is running.
func (p *Page) Close() error {
	p.mu.Lock()
	p.stop()
	p.mu.Unlock()
	err := p.server.Close()
	p.work.Wait()
	return err
}

// policy is the Content-Security-Policy of all responses.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src data: blob:; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP serves the page below its token, to a browser that has loaded it from a loopback address.
func (p *Page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	if origin := r.Header.Get("Origin"); !isOurs(r) || origin != "" && origin != "http://"+r.Host {
		http.Error(w, "this page is only served to itself, at a loopback address", http.StatusForbidden)
		return
	}
	token, _, ok := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(p.token)) == 0 || !ok {
		http.NotFound(w, r)
		return
	}
	p.mu.Lock()
	if p.ctx.Err() != nil {
		p.mu.Unlock()
		http.Error(w, errClosed.Error(), http.StatusServiceUnavailable)
		return
	}
	p.work.Add(1)
	p.mu.Unlock()
	defer p.work.Done()
	http.StripPrefix("/"+p.token, p.routes).ServeHTTP(w, r)
}

// isOurs reports whether the Host header names the loopback address at which the request arrived. A name that an attacker
// made resolve to this machine is another one.
func isOurs(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok || !local.IP.IsLoopback() {
		return false
	}
	host := r.Host
	if local.Port == 80 { // the port that browsers leave out
		host = strings.TrimSuffix(host, ":80") + ":80"
	}
	return host == local.String() || host == "localhost:"+strconv.Itoa(local.Port)
}
