package runtime

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// Server is a set of tools and how they are served. The zero value works: it
// serves [mcptool.Default] under the program's name. Set the members before the
// first use and do not change or copy the Server after it. Its methods are
// safe for concurrent use; one Server serves any number of sessions.
type Server struct {
	// Name and Version say what this server is. By default they are told from the
	// program's build information, "mcp-server" and "0.0.0-dev" where it is silent.
	Name    string
	Version string
	// Title is a name for people; optional. Sent from revision 2025-06-18 on.
	Title string
	// Description and WebsiteURL are optional and sent from revision 2025-11-25 on.
	Description string
	WebsiteURL  string
	// Icons are optional and sent from revision 2025-11-25 on.
	Icons []mcptool.Icon
	// Instructions tell the model when and how to use the tools, beyond their own
	// descriptions; optional.
	Instructions string

	// Tools are the tools served; nil means [mcptool.Default]. Tools may come and go
	// while the server runs: clients are told.
	Tools *mcptool.Registry
	// Logger takes the server's own log, and what tools log with [mcptool.Logger]; nil
	// means silence.
	Logger *slog.Logger
	// Limits bounds what one client can cost; the zero value is sensible.
	Limits Limits

	// ClientLog says which clients are sent what tools log. By default those of the
	// handshake era.
	ClientLog ClientLog
	// ArgumentErrorsAsResults has clients of revisions before 2025-11-25, too, be
	// answered with a result the model reads when arguments do not fit. By default they
	// get error -32602, as their revision says, and many of them show that to nobody.
	ArgumentErrorsAsResults bool
	// ListCache is what clients from revision 2026-07-28 on are told about
	// keeping tools/list and server/discover. By default: not at all.
	ListCache CacheHint

	once sync.Once
	made *core
}

// CacheHint says how long and for whom a list may be kept by whoever carries it.
// The zero value means that it may be reused by nobody, for no time.
type CacheHint struct {
	// TTL is how long, in whole milliseconds; zero or less means not at all.
	TTL time.Duration
	// Public allows one copy for all users. It is right only if all users
	// are given the same tools.
	Public bool
}

// Open begins a session over one connection; out takes what the session sends.
// When ctx ends every call of the session is cancelled, as after a
// disconnect. The caller must call [Session.Close] in the end.
func (s *Server) Open(ctx context.Context, out Outbox) *Session {
	return newSession(ctx, s.core(), out)
}

// Identity returns the name and version clients are told.
func (s *Server) Identity() (name, version string) {
	c := s.core()
	return c.identity.name, c.identity.version
}

// Registry returns the tools that are served.
func (s *Server) Registry() *mcptool.Registry { return s.core().tools }

// core is what a Server becomes at its first use: defaults filled in, and what
// all its sessions share.
type core struct {
	identity     identity
	instructions string
	tools        *mcptool.Registry
	log          *slog.Logger
	limits       Limits
	clientLog    ClientLog
	argResults   bool
	cacheHint    CacheHint

	lists    lists
	watchers watchers
}

// core returns what s was made into.
func (s *Server) core() *core {
	s.once.Do(func() {
		c := &core{
			identity:     newIdentity(s),
			instructions: s.Instructions,
			tools:        s.Tools,
			log:          s.Logger,
			limits:       s.Limits.Resolved(),
			clientLog:    s.ClientLog,
			argResults:   s.ArgumentErrorsAsResults,
			cacheHint:    s.ListCache,
		}
		if c.tools == nil {
			c.tools = mcptool.Default
		}
		if c.log == nil {
			c.log = slog.New(slog.DiscardHandler)
		}
		c.watchers.tools = c.tools
		s.made = c
	})
	return s.made
}
