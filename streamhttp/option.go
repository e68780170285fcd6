package streamhttp

import (
	"context"
	"time"
)

// DefaultKeepAlive is the interval between keepalive comments on a silent event stream. Proxies
// commonly close a connection that has been silent for a minute.
const DefaultKeepAlive = 15 * time.Second

// The default limits of sessions and streams.
const (
	// DefaultSessions is the maximum number of sessions: they take about 100 MB of memory.
	DefaultSessions = 10_000
	// DefaultStreams is the maximum number of event streams that are open without a call: one for each session.
	DefaultStreams = 10_000
	// DefaultSessionIdle is how long a session without any request is kept: longer than
	// people pause, and longer than a laptop sleeps over lunch.
	DefaultSessionIdle = time.Hour
	// callerShare is the divisor for the sessions and streams that one caller may have by default, a tenth: far more than
	// one person's clients open, and it takes ten callers to use them up.
	callerShare = 10
	// leastShare is how many sessions and streams one caller may have by default if a tenth is less: enough for a
	// person with several clients.
	leastShare = 16
	// DefaultReplay is how many bytes of the messages on its streams each session keeps for clients that resume one.
	DefaultReplay = 256 << 10
)

// An Option configures the handler of [NewHandler].
type Option interface{ apply(*config) }

// AllowOrigins serves requests from pages of these origins ("https://app.example.com", with scheme
// and port), or of any origin for "*". By default no request from a
// page is served, except that a server on loopback serves pages
// that come from loopback themselves.
//
// Requests without an Origin header, which do not come from a page, are not
// affected. The handler does not answer CORS preflights; wrap it for that.
func AllowOrigins(origins ...string) Option { return originsOption(origins) }

// AllowHosts serves requests whose Host header names one of these hosts ("mcp.example.com", "mcp.example.com:8443";
// without a port, any port matches), or any host for "*". It is for servers behind a reverse proxy that
// forwards the original Host header. By default a server that listens on loopback
// serves only requests for localhost, 127.0.0.1 and [::1], so that no page can reach
// it through a name of its own (DNS rebinding); a server that listens elsewhere serves any host.
func AllowHosts(hosts ...string) Option { return hostsOption(hosts) }

// KeepAlive sets the interval between comments on a silent event stream. The default is
// [DefaultKeepAlive]. Zero or less sends none.
func KeepAlive(interval time.Duration) Option { return keepAliveOption(interval) }

// Sessions sets the maximum number of sessions. The default is [DefaultSessions]. An initialize request
// beyond it gets status 503. Zero or less means no sessions, which
// leaves revision 2026-07-28 and later: initialize then gets error
// -32022, which names that revision, and GET and DELETE get status 405.
func Sessions(n int) Option { return sessionsOption(n) }

// SessionsPerCaller sets the maximum number of sessions of one caller. The default is a tenth of [Sessions], 1000 unless
// that is set, and at least 16. A caller is a principal, or an address if there are no principals: see
// [runtime.Access.Caller] and [WithAccess]. An initialize request beyond the limit gets status 503. Zero or less means the
// default.
func SessionsPerCaller(n int) Option { return sessionsPerCallerOption(n) }

// Streams sets the maximum number of event streams that are open without a call: streams opened with GET, and
// subscriptions. The default is [DefaultStreams]. A request beyond it gets status 503. Zero or less means the default.
func Streams(n int) Option { return streamsOption(n) }

// StreamsPerCaller sets the maximum number of [Streams] of one caller. The default is a tenth of them, 1000 unless Streams
// is set, and at least 16. A request beyond the limit gets status 503. Zero or less means the default.
func StreamsPerCaller(n int) Option { return streamsPerCallerOption(n) }

// SessionIdle sets how long a session is kept after its last request has ended. The default
// is [DefaultSessionIdle]. Then its calls are cancelled, and the client has to
// initialize again. Zero or less keeps sessions indefinitely.
func SessionIdle(d time.Duration) Option { return sessionIdleOption(d) }

// Replay sets how many bytes of the messages on its event streams each session keeps, so that a client whose
// connection broke can resume a stream. The default is [DefaultReplay]. The oldest messages are dropped first. All sessions
// together keep at most half of MaxMemoryBytes in [runtime.Limits], and those of one
// caller at most half of its share; beyond that, a session keeps less. With zero or less nothing is kept, and streams
// cannot be resumed.
func Replay(bytes int) Option { return replayOption(bytes) }

// Poll closes the event stream of a call when it has been open for the time open, and has the client
// reconnect after pause for the rest. The call continues meanwhile. It is for servers whose calls take minutes, and for
// proxies that close long responses. A call without any output until then
// begins its stream only to end it.
//
// It applies to clients of revision 2025-11-25, which know how to reconnect, if they accept
// event streams and [Replay] keeps messages. Messages sent in between count against Replay,
// except the newest answer, which is kept whatever its size. No stream is closed this way during a shutdown; a client
// that is disconnected then loses its answer. Zero or less for open, the default, closes no stream.
func Poll(open, pause time.Duration) Option { return pollOption{open, pause} }

// Until shuts the handler down when ctx ends: new requests get status 503,
// subscriptions and other open streams are ended as the protocol prescribes, and calls may finish
// during the grace period before they are cancelled. A grace period of zero or less cancels them at once.
// By default the handler serves until the program ends.
//
// [net/http.Server.Shutdown] waits for requests and does not end them, so have it
// end ctx:
//
//	ctx, stop := context.WithCancel(context.Background())
//	server := &http.Server{Handler: streamhttp.NewHandler(srv, streamhttp.Until(ctx, 5*time.Second))}
//	server.RegisterOnShutdown(stop)
func Until(ctx context.Context, grace time.Duration) Option { return untilOption{ctx, grace} }

type (
	originsOption   []string
	hostsOption     []string
	keepAliveOption time.Duration
	sessionsOption  int
	streamsOption   int

	sessionsPerCallerOption int
	streamsPerCallerOption  int

	sessionIdleOption time.Duration
	replayOption      int
	pollOption        struct{ open, pause time.Duration }
	untilOption       struct {
		ctx   context.Context
		grace time.Duration
	}
)

func (o originsOption) apply(c *config)   { c.origins = append(c.origins, o...) }
func (o hostsOption) apply(c *config)     { c.hosts = append(c.hosts, o...) }
func (o keepAliveOption) apply(c *config) { c.keepAlive = time.Duration(o) }
func (o sessionsOption) apply(c *config)  { c.sessions = int(o) }
func (o streamsOption) apply(c *config)   { c.streams = int(o) }

func (o sessionsPerCallerOption) apply(c *config) { c.sessionsEach = int(o) }
func (o streamsPerCallerOption) apply(c *config)  { c.streamsEach = int(o) }
func (o sessionIdleOption) apply(c *config)       { c.idle = time.Duration(o) }
func (o replayOption) apply(c *config)            { c.replay = int(o) }
func (o pollOption) apply(c *config)              { c.poll = o }
func (o untilOption) apply(c *config)             { c.until, c.grace = o.ctx, o.grace }

// config holds the values of all options.
type config struct {
	protection       *Protection
	origins, hosts   []string
	keepAlive        time.Duration
	sessions, replay int
	streams          int
	sessionsEach     int // per caller; the default if not above zero
	streamsEach      int // per caller; the default if not above zero
	idle             time.Duration
	poll             pollOption
	until            context.Context
	grace            time.Duration
}

func newConfig(opts []Option) config {
	c := config{
		keepAlive: DefaultKeepAlive,
		sessions:  DefaultSessions,
		replay:    DefaultReplay,
		idle:      DefaultSessionIdle,
		until:     context.Background(),
	}
	for _, o := range opts {
		o.apply(&c)
	}
	if c.streams <= 0 {
		c.streams = DefaultStreams
	}
	return c
}

// sessionShare returns the maximum number of sessions of one caller.
func (c *config) sessionShare() int { return shareOf(c.sessions, c.sessionsEach) }

// streamShare returns the maximum number of streams of one caller.
func (c *config) streamShare() int { return shareOf(c.streams, c.streamsEach) }

// shareOf returns each, or the default share of all.
func shareOf(all, each int) int {
	if each > 0 {
		return each
	}
	return max(all/callerShare, min(all, leastShare))
}
