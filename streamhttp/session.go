package streamhttp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// session is the connection to one legacy client: from initialize on, or in the transport of revision 2024-11-05, while
// its stream is open.
type session struct {
	id      string
	access  *runtime.Access // of the caller that began it, which alone may use it, see isOf
	engine  engine.Session
	leave   context.CancelCauseFunc // cancels the calls of engine, with this cause
	replay  *replayLog
	waiting chan struct{} // has an element for each request that the engine has not accepted yet
	greeted chan struct{} // closed when a resumed session has had its handshake; its requests wait for that

	selectOnce sync.Once
	selection  *engine.Selection // of the first message; nil if messages cannot select, or before it

	// Guarded by sessions.mu.
	scopes    []string    // of all its requests; required to read its streams
	users     int         // number of open requests
	idleSince time.Time   // when users has become 0
	timer     *time.Timer // calls unused; it runs while users is 0; nil before
}

// isOf reports whether the session belongs to the caller with this access.
func (s *session) isOf(access *runtime.Access) bool {
	return transport.Owner(s.access) == transport.Owner(access)
}

// setSelection makes the selection of the first message that of m. The engine keeps only that one, whose memory counts until
// the session ends.
func (s *session) setSelection(m *engine.Message) {
	s.selectOnce.Do(func() {
		s.selection = m.Select
		s.replay.memory.Add(selectionSize(s.selection))
	})
	m.Select = s.selection
}

// maxWaiting is the maximum number of requests of a session that wait in the engine. The engine accepts none while its
// queue is full, and does not notice that their clients disconnect. Further requests wait here, where a disconnect is
// noticed.
const maxWaiting = 16

// serve passes m to the engine, which answers it through w, or on the session's stream if w is nil. It reports false if
// ctx ends while m waits, so that requests of disconnected clients do not pile up. Messages other than requests do not
// wait: a running call may need one.
func (s *session) serve(ctx context.Context, m *engine.Message, w engine.Writer) bool {
	if kind := m.Kind; kind == engine.Request || kind == engine.Batch {
		select {
		case s.waiting <- struct{}{}:
			defer func() { <-s.waiting }()
		case <-ctx.Done():
			return false
		}
	}
	m.Values = ctx
	s.engine.Serve(m, w)
	return true
}

// end ends the session; calls may finish until ctx ends. The session must have been removed from the table.
func (s *session) end(ctx context.Context) {
	s.replay.end(false)
	// The engine logs the calls that were cancelled.
	_ = s.engine.Close(ctx)
	s.replay.end(true)
	s.replay.memory.Release()
	s.leave(nil)
}

// Causes for the end of a session while the server continues. Tools get them from [context.Cause], and clients get them
// in the answers to cancelled calls.
var (
	errDeleted  = fmt.Errorf("%w: %w", runtime.ErrDisconnected, mcptool.Errorf("the client has ended the session"))
	errReplaced = fmt.Errorf("%w: %w", runtime.ErrDisconnected, mcptool.Errorf("the caller began another session and exceeded its limit"))
	errIdle     = fmt.Errorf("%w: %w", runtime.ErrDisconnected, mcptool.Errorf("the session was idle for too long"))
)

// abort ends the session at once, and cancels its calls with this cause.
//
//nolint:contextcheck,nolintlint // a session ends independently of the request; the linter reads this at the callers
func (s *session) abort(why error) {
	s.leave(why)
	ended, end := context.WithCancel(context.Background())
	end()
	s.end(ended)
}

// hasPriming reports whether clients of the session support a stream that begins with an event without a message.
// Clients of earlier revisions may fail to read one.
func (s *session) hasPriming() bool {
	return s.engine.ProtocolVersion() >= "2025-11-25"
}
