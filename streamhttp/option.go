package streamhttp

import (
	"context"
	"time"
)

// DefaultKeepAlive is how often a silent event stream is given a sign of life. Proxies
// commonly cut a connection after a minute without one.
const DefaultKeepAlive = 15 * time.Second

// The defaults of what sessions cost.
const (
	// DefaultSessions is how many sessions there may be at once: some 100 MB of memory.
	DefaultSessions = 10_000
	// DefaultStreams is how many event streams may be open at once without a call: one for each session.
	DefaultStreams = 10_000
	// DefaultSessionIdle is how long a session without any request is kept: longer than
	// people pause, and than laptops sleep over lunch.
	DefaultSessionIdle = time.Hour
	// callerShare is the part of the sessions and streams that one caller may have by default, a tenth: far more than
	// one person's clients begin, and it takes ten callers to use them up.
	callerShare = 10
	// leastShare is how many sessions and streams one caller may have by default where a tenth is less: as many as a
	// person who has several clients needs.
	leastShare = 16
	// DefaultReplay is how much each session keeps of what was sent on its streams, in bytes.
	DefaultReplay = 256 << 10
)

// An Option changes how the handler of [NewHandler] serves.
type Option interface{ apply(*config) }

// AllowOrigins lets pages of these origins ("https://app.example.com", scheme and
// port included) use the server, and "*" the pages of any. Without it no request from a
// browser is served, except to a server that listens on loopback: there pages
// that came from loopback are.
//
// Requests without an Origin header, which do not come from a browser, are not
// concerned. The handler does not answer CORS preflights; wrap it for that.
func AllowOrigins(origins ...string) Option { return originsOption(origins) }

// AllowHosts lets requests name these hosts ("mcp.example.com", "mcp.example.com:8443";
// without a port any port will do), and "*" any. It is for servers behind a reverse proxy that
// passes on the Host it was asked for. By default a server that listens on loopback
// serves only requests for localhost, 127.0.0.1 and [::1], so that no page can reach
// it through a name of its own; one that listens elsewhere serves any.
func AllowHosts(hosts ...string) Option { return hostsOption(hosts) }

// KeepAlive sets how often a silent event stream is given a comment, instead of
// [DefaultKeepAlive]. Zero or less means never.
func KeepAlive(interval time.Duration) Option { return keepAliveOption(interval) }

// Sessions sets how many sessions there may be at once, instead of [DefaultSessions]. Clients
// that begin one more are refused with status 503. Zero or less means none, which
// leaves revision 2026-07-28, where there are no sessions: initialize is then refused with error
// -32022, which names it, and GET and DELETE with status 405.
func Sessions(n int) Option { return sessionsOption(n) }

// SessionsPerCaller sets how many of the [Sessions] one caller may have at once, instead of a tenth of them, 1000 by
// default, and 16 at least. A caller is a principal, or an address where there are no principals: see [runtime.Access.Caller] and
// [WithAccess]. Clients that begin one more are refused with status 503. Zero or less means the default.
func SessionsPerCaller(n int) Option { return sessionsPerCallerOption(n) }

// Streams sets how many event streams may be open at once that do not answer a call, instead of [DefaultStreams]: those
// opened with GET, and subscriptions. One more is refused with status 503. Zero or less means the default.
func Streams(n int) Option { return streamsOption(n) }

// StreamsPerCaller sets how many of the [Streams] one caller may have open at once, instead of a tenth of them, 1000 by
// default, and 16 at least. One more is refused with status 503. Zero or less means the default.
func StreamsPerCaller(n int) Option { return streamsPerCallerOption(n) }

// SessionIdle sets how long a session is kept while its client has no request open and sends
// none, instead of [DefaultSessionIdle]. Its calls are cancelled then, and the client has to
// begin another one. Zero or less means for ever.
func SessionIdle(d time.Duration) Option { return sessionIdleOption(d) }

// Replay sets how many bytes each session keeps of what was sent on its event streams,
// instead of [DefaultReplay], so that a client whose connection broke can have it
// again. The oldest goes first. All sessions together keep no more than half of [runtime.Limits] Memory, and those of one
// caller no more than half of its share; where that is used up, a session keeps less. Zero or less keeps nothing: streams
// cannot be resumed.
func Replay(bytes int) Option { return replayOption(bytes) }

// Poll keeps no connection open for long while a call runs: an event stream that has carried a
// call for the time open is closed, and its client told to come back after pause for the
// rest. The call goes on meanwhile. It is for servers whose calls take minutes, and for
// proxies that cut long responses. A call that has had nothing to say until then
// begins its stream only to end it.
//
// It concerns clients of revision 2025-11-25, which know how to come back, and only if they read
// event streams and [Replay] keeps something. What is sent in between counts against that;
// beside it one answer is kept, the newest, of any size. A handler that shuts down closes none either: who is away then
// has lost the answer. Zero or less, the default, closes nothing.
func Poll(open, pause time.Duration) Option { return pollOption{open, pause} }

// Until ends the service when ctx ends: nothing new is served but answered with status 503,
// subscriptions and other open streams are ended in the way of the protocol, and calls have the
// grace period to finish before they are cancelled. Zero or less cancels them at once.
//
// [net/http.Server.Shutdown] waits for requests and does not end them, so give it
// the end of ctx as one of its duties:
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

// config is what the options add up to.
type config struct {
	protection       *Protection
	origins, hosts   []string
	keepAlive        time.Duration
	sessions, replay int
	streams          int
	sessionsEach     int // of one caller; the default if not above zero
	streamsEach      int // likewise
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

// sessionShare returns how many sessions one caller may have.
func (c *config) sessionShare() int { return shareOf(c.sessions, c.sessionsEach) }

// streamShare returns how many streams one caller may have open.
func (c *config) streamShare() int { return shareOf(c.streams, c.streamsEach) }

// shareOf returns how much of all one caller may have.
func shareOf(all, each int) int {
	if each > 0 {
		return each
	}
	return max(all/callerShare, min(all, leastShare))
}
