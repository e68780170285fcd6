package streamhttp

import (
	"context"
	"time"

	"github.com/mcptool-go/mcptool/runtime"
)

// session is one legacy client, from initialize on.
type session struct {
	id      string
	engine  *runtime.Session
	journal *journal

	// Guarded by sessions.mu.
	users int         // requests that are open
	timer *time.Timer // ends the session; it runs while there are no users
}

// end ends the session: calls may finish until ctx ends. It must be out of the table.
func (s *session) end(ctx context.Context) {
	s.journal.endUnbound()
	// Calls that had to be cancelled are in the log.
	_ = s.engine.Close(ctx)
	s.journal.close()
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
