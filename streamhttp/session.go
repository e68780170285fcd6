package streamhttp

import (
	"context"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// session is one legacy client, from initialize on; or in the transport of revision 2024-11-05,
// for as long as its stream is open.
type session struct {
	id      string
	owner   string         // the principal that began it, and whose alone it is; "" if nobody was verified
	caller  runtime.Caller // whose share of the sessions it counts against
	access  *runtime.Access
	engine  *runtime.Session
	journal *journal
	door    chan struct{} // has what of its requests the engine has not taken yet

	// Guarded by sessions.mu.
	users int         // requests that are open
	timer *time.Timer // ends the session; it runs while there are no users
}

func newSession(access *runtime.Access, j *journal) *session {
	return &session{owner: access.Principal, caller: access.Caller(), access: access, journal: j}
}

// doorway is how many requests of a session may wait for the engine, which takes none while its queue is
// full, without anybody looking whether their clients are still there.
const doorway = 16

// serve has the engine serve m, which it answers through x, or nil. It reports whether it did: it does not
// if ctx ends before it is the turn of m, so that those who come and go leave nothing behind. What
// is no request need not wait: it may be what a call is waiting for.
func (s *session) serve(ctx context.Context, m *runtime.Message, x runtime.Exchange) bool {
	if kind := m.Kind(); kind == runtime.Request || kind == runtime.Batch {
		select {
		case s.door <- struct{}{}:
			defer func() { <-s.door }()
		case <-ctx.Done():
			return false
		}
	}
	s.engine.Serve(m, x)
	return true
}

// end ends the session: calls may finish until ctx ends. It must be out of the table.
func (s *session) end(ctx context.Context) {
	s.journal.endUnbound()
	// Calls that had to be cancelled are in the log.
	_ = s.engine.Close(ctx)
	s.journal.close()
	s.journal.memory.Release()
}

// abort ends the session now.
//
//nolint:contextcheck,nolintlint // it is what a session ends with, whatever becomes of a request; the linter reads this at the callers
func (s *session) abort() { s.end(past) }

// past is a context that has ended.
var past = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// hasPriming reports whether clients of the session understand a stream that begins with an event
// without a message. Those of earlier revisions may fail to read one.
func (s *session) hasPriming() bool {
	return s.engine.ProtocolVersion() >= "2025-11-25"
}
