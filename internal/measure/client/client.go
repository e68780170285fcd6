package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A Client is a connection to a server after the handshake. It is safe for concurrent use.
type Client struct {
	name     string // the target, for errors
	opts     Options
	conn     connection
	in       *incoming
	era      Era // never Auto after Dial
	server   Server
	lastID   atomic.Int64
	listed   atomic.Pointer[listed] // nil before tools/list
	timeouts timeouts
	// connected is set at the end of the handshake.
	connected atomic.Bool

	ctx      context.Context // for responses to the server's requests
	stop     context.CancelFunc
	work     sync.WaitGroup // responses in progress
	requests serverRequests

	subscriptions subscriptions
	attending     sync.Once  // starts listening for messages outside requests
	notifying     sync.Mutex // held while Options.Notify runs
	closing       sync.Once
	closed        error // result of Close
}

// firstID is the lowest id of requests not prepared by the caller, see [Prepared.Append].
const firstID = 1 << 30

// Server is a server's description of itself.
type Server struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
	// Instructions are for the model.
	Instructions string `json:"-"`
	// Revision is the negotiated protocol revision.
	Revision string `json:"-"`
	// Capabilities is the raw object.
	Capabilities json.RawMessage `json:"-"`
}

// Product returns the name and version for display. Some servers have neither.
func (s Server) Product() string {
	name := cmp.Or(s.Name, "a server without a name")
	if s.Version == "" {
		return name
	}
	return name + " " + s.Version
}

// Dial connects to a server and performs the handshake. The error is an *UnreachableError, which wraps the *RPCError of
// a server that rejects the handshake, or ctx's. After an error the command is no longer running.
func Dial(ctx context.Context, t Target, o Options) (*Client, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if o.Revision != "" && !slices.Contains(knownLegacy, o.Revision) {
		return nil, fmt.Errorf("revision %q is none of the legacy era; there are %s", o.Revision, strings.Join(knownLegacy, ", "))
	}
	if !slices.Contains([]Era{"", Auto, Legacy, Modern}, o.Era) {
		return nil, fmt.Errorf("era %q is unknown; use auto, legacy or modern", o.Era)
	}
	c, err := dial(ctx, t, o)
	if again := (*probeKilledError)(nil); errors.As(err, &again) {
		o.Era, o.afterProbe = Legacy, true
		c, err = dial(ctx, t, o)
	}
	return c, err
}

func dial(ctx context.Context, t Target, o Options) (*Client, error) {
	c := &Client{name: t.String(), opts: o, requests: serverRequests{running: map[string]context.CancelFunc{}}, subscriptions: subscriptions{open: map[*Subscription]struct{}{}}}
	c.lastID.Store(firstID)
	c.timeouts.timeout.Store(int64(o.startTimeout(t)))
	c.ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx)) // ends with Close
	c.in = &incoming{other: c.receive, unexpected: o.Unexpected}
	if t.URL != "" {
		c.conn = openHTTP(t, o, c.in)
	} else {
		command, err := startCommand(t, o.Stderr, c.in) //nolint:contextcheck // runs until Close, even after ctx
		if err != nil {
			c.stop()
			return nil, err
		}
		c.conn = command
	}
	if err := c.handshake(ctx, o.Era); err != nil {
		_ = c.Close() // the handshake error is more useful
		return nil, err
	}
	c.timeouts.timeout.Store(int64(o.timeout()))
	c.connected.Store(true)
	return c, nil
}

// Server returns the server's description of itself.
func (c *Client) Server() Server { return c.server }

// Era returns the negotiated era: Legacy or Modern.
func (c *Client) Era() Era { return c.era }

// PID returns the process id of the command; 0 over HTTP.
func (c *Client) PID() int { return c.conn.pid() }

// ExitCode returns the exit code of the command, which has exited when Close returns. It is -1 before that, if a signal
// ended the command, and over HTTP.
func (c *Client) ExitCode() int {
	if command, ok := c.conn.(*command); ok {
		_, code, _ := command.Exit()
		return code
	}
	return -1
}

// Close ends the session, and the command with its descendants: it closes stdin, sends SIGTERM after 2 s, and SIGKILL
// after 2 s more. Running calls fail. When Close returns, no goroutine of the client is running, except in
// Options.Elicit, which must return when its context ends. Further calls of Close do nothing.
func (c *Client) Close() error {
	c.closing.Do(func() {
		c.stop()
		c.closed = c.conn.close()
		c.work.Wait()
	})
	return c.closed
}
