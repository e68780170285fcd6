package streamhttp

import (
	"cmp"
	"fmt"
	"net/http"
	"time"

	"github.com/mcptool-go/mcptool/internal/setting"
)

// DefaultKeepAlive is the default interval of [KeepAlive]. Proxies commonly close a connection that has been silent for
// a minute.
const DefaultKeepAlive = 15 * time.Second

// Defaults of the options about sessions and streams.
const (
	// DefaultSessions is the default of [Sessions]. That many sessions take about 100 MB of memory.
	DefaultSessions = 10_000
	// DefaultStreams is the default of [Streams]: one for each session.
	DefaultStreams = 10_000
	// DefaultSessionIdle is the default of [SessionIdle]. It is longer than the usual pause of a user.
	DefaultSessionIdle = time.Hour
	// DefaultReplay is the default of [Replay], in bytes.
	DefaultReplay = 256 << 10
)

// ServeOption configures [Serve] and [ListenAndServe]. Each [Option] is a ServeOption. If an option is given more than once,
// the last one counts, but [AllowOrigins] and [AllowHosts] add up. An option that is nil, and an argument with a mistake,
// such as a negative number or duration, are errors of these functions.
//
// Programs that pass options on, some of them an Option, keep them in a slice of ServeOption.
type ServeOption interface{ applyToServe(*serveConfig) }

// Option configures [NewHandler] and [NewSSEHandler], and as a [ServeOption] also [Serve] and [ListenAndServe], for all of
// which the same rules apply.
type Option interface {
	ServeOption
	applyToHandler(*config)
}

// The types of options. Each has the methods of the functions that it applies to.
type (
	option      func(*config)
	serveOption func(*serveConfig)
)

func (o option) applyToHandler(c *config)         { o(c) }
func (o option) applyToServe(c *serveConfig)      { o(&c.handler) }
func (o serveOption) applyToServe(c *serveConfig) { o(c) }

// AllowOrigins allows web pages of these origins, such as "https://app.example.com" or
// "http://localhost:5173", to send requests and to read the answers (CORS); "*" allows all origins. By
// default requests from pages get status 403, except on loopback from loopback origins, but browsers
// do not let these pages send messages. Requests without an Origin header are not affected.
//
// Preflights need no access token, and allow all headers. Pages can read Mcp-Session-Id,
// WWW-Authenticate and Retry-After. Cookies and client certificates are never allowed. If middleware
// has set Access-Control-Allow-Origin, the handler leaves CORS to it.
func AllowOrigins(origins ...string) Option {
	return option(func(c *config) { c.origins = append(c.origins, origins...) })
}

// AllowHosts allows requests whose Host header is one of these hosts, such as "mcp.example.com" (with any port) or
// "mcp.example.com:8443"; "*" allows all hosts. IPv6 addresses need no brackets. Other requests get status 403. It is
// for servers behind a reverse proxy, sidecar or tunnel that forwards the original Host header. By default a request
// over a loopback connection, whatever address the server listens on, must have the host localhost or a loopback
// address, such as 127.0.0.1 or [::1], so that a web page cannot reach the server through a host name that resolves to
// loopback (DNS rebinding); these hosts stay allowed with the option. Requests over other connections may have any host
// by default. The host of the resource of [Protect], with any port, is always allowed.
func AllowHosts(hosts ...string) Option {
	return option(func(c *config) { c.hosts = append(c.hosts, hosts...) })
}

// KeepAlive sets the interval at which comments are sent on an event stream without messages, so that proxies keep it
// open. A call that takes longer is answered on an event stream, even if it sends nothing before its result, if the
// client accepts event streams. The default is [DefaultKeepAlive]. Choose less than the time after which a proxy closes
// a connection without data, such as proxy_read_timeout of nginx. Zero sends no comments, and the answer of a
// call that sends nothing else is JSON.
func KeepAlive(interval time.Duration) Option {
	return option(func(c *config) { c.keepAlive = interval })
}

// Sessions sets the maximum number of sessions. The default is [DefaultSessions]. One caller may have a tenth, but at least
// 16 (or all, if n is less). A caller is a principal, or an address if callers are not authenticated: see
// [runtime.Access] and [WithAccess]. An initialize request beyond these limits ends the session of the same caller
// that has been idle for longest, or gets status 503 if each of its sessions has an open request. A session that is
// resumed counts like a new one.
//
// Zero means that the handler has no sessions, and serves each request of every revision independently, in any
// instance of the program. The header MCP-Protocol-Version names the revision; the default is the newest supported
// revision with initialize. Session ids are ignored, and GET and DELETE get status 405. Clients of revisions up to
// 2025-11-25 then get progress, but no log records, notifications of changes or tasks, and cannot be asked by tools;
// their calls are cancelled if they disconnect. To serve only revision 2026-07-28 use [runtime.Server.Revisions].
func Sessions(n int) Option { return option(func(c *config) { c.sessions = n }) }

// RequireSessions refuses requests of revisions up to 2025-11-25 that have no session id, other than initialize, with
// status 400. By default they are served as with [Sessions](0), since some clients never send the id.
func RequireSessions() Option { return option(func(c *config) { c.sessionsRequired = true }) }

// Streams sets the maximum number of event streams that are open without a call: streams opened with GET, and
// subscriptions. The default is [DefaultStreams]; zero means the default. One caller may have a
// tenth of them, by the same rule as for [Sessions]. A request beyond these limits gets status 503.
func Streams(n int) Option { return option(func(c *config) { c.streams = n }) }

// NoListening turns off the event streams that stay open without a call, for platforms that bill or limit the duration
// of requests, such as serverless ones. Calls that report progress, or take longer than [KeepAlive], are still answered
// on event streams. The server declares neither listChanged nor resources.subscribe; GET gets status 405, so that
// streams cannot be resumed, and [Replay] and [Poll] have no effect; and subscriptions/listen is acknowledged as empty
// and answered at once. By default clients can listen. See also [Sessions].
func NoListening() Option { return option(func(c *config) { c.noListening = true }) }

// SessionIdle sets how long a session is kept after its last request has ended. After that time its calls are
// cancelled, and what it has kept for the client is lost; the next request resumes it, up to a week after its beginning.
// The default is [DefaultSessionIdle]. Zero keeps sessions indefinitely.
func SessionIdle(d time.Duration) Option { return option(func(c *config) { c.idle = d }) }

// Replay sets how many bytes of the messages on its event streams each session keeps, so that a client can resume a
// stream after its connection broke. The oldest messages are dropped first. All sessions together keep at most half of
// MaxMemoryBytes of [runtime.Limits], and the sessions of one caller at most half of the caller's share; beyond that, a
// session keeps less. The default is [DefaultReplay]. With zero nothing is kept, and streams cannot be resumed.
func Replay(bytes int) Option { return option(func(c *config) { c.replay = bytes }) }

// Poll makes the server close the event stream of a call when it has been open for the duration open, and ask the
// client to reconnect after the duration pause. The call continues meanwhile. It is for servers whose calls take
// minutes, and for proxies that close long responses. If a call has sent nothing when the time is up, its stream begins
// and ends at that time. Zero for open, the default, closes no stream.
//
// Poll applies to clients of revision 2025-11-25, which can reconnect, if they accept event streams and [Replay] keeps
// messages. Messages sent while the client is disconnected count against Replay, except the newest answer of the
// session, which is kept even if it is larger. During a shutdown no stream is closed in this way; a client that is disconnected
// at that time loses its answer.
func Poll(open, pause time.Duration) Option {
	return option(func(c *config) { c.pollOpen, c.pollPause = open, pause })
}

// Grace sets how long calls and tasks may continue, together, when [Serve] shuts down; then they are
// cancelled. The default is 5 seconds, because Docker kills a process after 10. Zero cancels
// them at once.
func Grace(d time.Duration) ServeOption { return serveOption(func(c *serveConfig) { c.grace = d }) }

// ShutdownDelay sets how long [Serve] continues to serve, before [Grace], when it is no longer ready:
// as long as a load balancer needs to send requests elsewhere. The default is zero, no delay.
func ShutdownDelay(d time.Duration) ServeOption {
	return serveOption(func(c *serveConfig) { c.delay = d })
}

// ReadyDetails makes [Serve] answer GET /readyz?verbose with the JSON text of details, such as the counts
// of a Counters of package runtime/observe, also during a shutdown. Only requests over a loopback
// connection whose Host header is localhost or a loopback address, and that have no origin of another
// site, get it. Others get the answer of /readyz. A reverse proxy on the same machine that replaces the
// Host header must not forward the path. By default, nil, there is no such text.
func ReadyDetails(details fmt.Stringer) ServeOption {
	return serveOption(func(c *serveConfig) { c.details = details })
}

// HTTPServer sets a func that changes the server of [Serve]. It may add paths to mux, which is also
// server.Handler, wrap server.Handler in middleware, set server.TLSConfig to serve HTTPS, and change
// timeouts, except that WriteTimeout must stay zero. A path that conflicts with a path of Serve is an
// error of Serve. By default there is no such func.
func HTTPServer(configure func(server *http.Server, mux *http.ServeMux)) ServeOption {
	return serveOption(func(c *serveConfig) { c.httpServer = configure })
}

// serveConfig has the values of all options of [Serve].
type serveConfig struct {
	handler      config
	grace, delay time.Duration
	details      fmt.Stringer // nil: none
	httpServer   func(*http.Server, *http.ServeMux)
}

// config has the values of the options of a [Handler].
type config struct {
	protection       *Protection
	origins, hosts   []string
	keepAlive        time.Duration
	sessions, replay int
	sessionsRequired bool
	streams          int
	noListening      bool
	selects          bool // see SelectByRequest
	idle             time.Duration
	pollOpen         time.Duration
	pollPause        time.Duration
	mistakes         []error // in options and their arguments
}

var defaultConfig = config{keepAlive: DefaultKeepAlive, sessions: DefaultSessions, replay: DefaultReplay, idle: DefaultSessionIdle}

func newConfig(opts []Option) config {
	c := defaultConfig
	mistakes := setting.Apply(opts, func(o Option) { o.applyToHandler(&c) })
	c.mistakes = append(mistakes, c.mistakes...)
	c.resolve()
	return c
}

func newServeConfig(opts []ServeOption) serveConfig {
	c := serveConfig{handler: defaultConfig, grace: 5 * time.Second}
	mistakes := setting.Apply(opts, func(o ServeOption) { o.applyToServe(&c) })
	c.handler.mistakes = append(mistakes, c.handler.mistakes...)
	c.handler.resolve()
	c.handler.mistakes = append(c.handler.mistakes,
		setting.NotNegative("Grace", c.grace, "cancels calls and tasks at once"),
		setting.NotNegative("ShutdownDelay", c.delay, "means no delay"),
	)
	return c
}

// resolve finds the mistakes in the arguments, and sets the values that depend on others.
func (c *config) resolve() {
	c.checkNames()
	c.checkNumbers()
	c.streams = cmp.Or(c.streams, DefaultStreams)
	if c.noListening {
		c.replay = 0
	}
}

// checkNumbers finds negative arguments.
func (c *config) checkNumbers() {
	c.mistakes = append(c.mistakes,
		setting.NotNegative("KeepAlive", c.keepAlive, "sends no comments"),
		setting.NotNegative("Sessions", c.sessions, "serves without sessions"),
		setting.NotNegative("Streams", c.streams, fmt.Sprintf("means the default, %d", DefaultStreams)),
		setting.NotNegative("SessionIdle", c.idle, "keeps sessions indefinitely"),
		setting.NotNegative("Replay", c.replay, "keeps no messages"),
		setting.NotNegative("the first argument of Poll", c.pollOpen, "closes no stream"),
		setting.NotNegative("the second argument of Poll", c.pollPause, "lets clients reconnect at once"),
	)
}
