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

// A Client is a connection to a server, after the handshake. It is safe for concurrent use.
type Client struct {
	opts     Options
	link     link
	era      Era // never Auto after Dial
	server   Server
	lastID   atomic.Int64
	listed   atomic.Pointer[listed] // nil before tools/list
	patience patience
	// connected is set when the handshake is over.
	connected atomic.Bool

	ctx     context.Context // of answers to the server's requests
	stop    context.CancelFunc
	work    sync.WaitGroup // answers that are being made
	asked   askedOf
	telling sync.Mutex // held while Options.Notify runs
	closing sync.Once
	closed  error // what Close returns
}

// firstID is where ids of requests begin that are not the caller's, see Encode.
const firstID = 1 << 30

// Server is what a server says of itself.
type Server struct {
	Name    string `json:"name"`
	Title   string `json:"title"`
	Version string `json:"version"`
	// Instructions are for the model.
	Instructions string `json:"-"`
	// Revision is that of the protocol that is spoken.
	Revision string `json:"-"`
	// Capabilities is the object as it came.
	Capabilities json.RawMessage `json:"-"`
}

// Product returns the name and the version for people. Servers that give none of them, or empty ones, exist.
func (s Server) Product() string {
	name := cmp.Or(s.Name, "a server without a name")
	if s.Version == "" {
		return name
	}
	return name + " " + s.Version
}

// Dial connects to a server and shakes hands with it. The error is an *UnreachableError, which
// wraps the *RPCError of a server that refuses, or ctx's. A command has ended then.
func Dial(ctx context.Context, t Target, o Options) (*Client, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	if o.Revision != "" && !slices.Contains(knownLegacy, o.Revision) {
		return nil, fmt.Errorf("revision %q is none of the legacy era; there are %s", o.Revision, strings.Join(knownLegacy, ", "))
	}
	switch o.Era {
	case "", Auto:
		o.Era = Auto
	case Legacy, Modern:
	default:
		return nil, fmt.Errorf("era %q is unknown; there are auto, legacy and modern", o.Era)
	}
	c, err := dial(ctx, t, o)
	if again := (*probeKilledError)(nil); errors.As(err, &again) {
		o.Era, o.afterProbe = Legacy, true
		c, err = dial(ctx, t, o)
	}
	return c, err
}

func dial(ctx context.Context, t Target, o Options) (*Client, error) {
	c := &Client{opts: o}
	c.lastID.Store(firstID)
	c.patience.bounded = o.Bounded
	c.patience.timeout.Store(int64(o.startTimeout(t)))
	c.ctx, c.stop = context.WithCancel(context.WithoutCancel(ctx)) // it ends with Close
	var err error
	if t.URL != "" {
		c.link = openWeb(t, o.Transport, c.receive)
	} else {
		c.link, err = startCommand(t, o.Stderr, c.receive) //nolint:contextcheck // it lives until Close, whatever becomes of ctx
	}
	if err != nil {
		c.stop()
		return nil, err
	}
	if err := c.handshake(ctx, o.Era); err != nil {
		_ = c.Close() // why it cannot be used says more
		return nil, err
	}
	c.patience.timeout.Store(int64(o.timeout()))
	c.connected.Store(true)
	return c, nil
}

// Server returns what the server says of itself.
func (c *Client) Server() Server { return c.server }

// Era returns the era that is spoken: Legacy or Modern.
func (c *Client) Era() Era { return c.era }

// PID returns the id of the command's process, 0 over HTTP.
func (c *Client) PID() int { return c.link.pid() }

// Close ends the session and the command: its stdin is closed, after 2 s it is sent SIGTERM,
// after 2 s more SIGKILL, and what it has started goes with it. Calls that run fail. After
// Close nothing of the client is left but what Options.Elicit still does, which must end
// with its context. To close once more does nothing.
func (c *Client) Close() error {
	c.closing.Do(func() {
		c.stop()
		c.closed = c.link.close()
		c.work.Wait()
	})
	return c.closed
}
