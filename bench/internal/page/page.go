package page

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

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
	routes  http.Handler
	ctx     context.Context // ends with Close
	stop    context.CancelFunc
	work    sync.WaitGroup // everything that Close waits for

	mu       sync.Mutex
	closed   bool
	servers  []*http.Server
	build    *Build
	built    chan struct{} // closed and replaced when build changes
	version  int           // of the build that session is connected to, or connects to
	session  *session      // nil before the first connection
	listed   *listed       // the newest lists, also of an earlier session; nil before the first
	calls    []*call       // oldest first
	lastCall int
	messages messages
	streams  map[*stream]struct{}
}

// New returns a page. It connects to the server when it is first used, or by [Page.Connect].
func New(o Options) *Page {
	if o.Redact == nil {
		o.Redact = func(text string) string { return text }
	}
	var token [16]byte
	_, _ = rand.Read(token[:]) // never fails
	p := &Page{options: o, token: hex.EncodeToString(token[:]), built: make(chan struct{}), streams: map[*stream]struct{}{}}
	p.ctx, p.stop = context.WithCancel(context.Background())
	p.routes = p.newRoutes()
	return p
}

// errClosed is the error of everything that is begun after Close.
var errClosed error = &statusError{http.StatusServiceUnavailable, "the page is closed"}

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
	p.build = &b
	close(p.built)
	p.built = make(chan struct{})
	if b.State == "ok" && b.Version != p.version && !p.closed {
		p.version = b.Version
		p.connectLocked()
	}
	p.publishLocked(func(s *stream) { s.build = true })
}

// awaitBuild waits for the end of a build. It returns why the call cannot run.
func (p *Page) awaitBuild(ctx context.Context) error {
	for {
		p.mu.Lock()
		b, changed := p.build, p.built
		p.mu.Unlock()
		switch {
		case b == nil || b.State == "ok" || b.State == "broken" && b.KeepLast:
			return nil
		case b.State == "broken":
			return errors.New("the new version of the server cannot be used, so the call has not run:\n" + b.Text)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Close closes the listeners and the connections to the server and to browsers. When it returns, no goroutine of the page is running.
func (p *Page) Close() error {
	p.mu.Lock()
	p.closed = true
	servers := p.servers
	p.servers = nil
	p.mu.Unlock()
	p.stop()
	var errs []error
	for _, s := range servers {
		errs = append(errs, s.Close())
	}
	p.work.Wait()
	return errors.Join(errs...)
}
