package runtime

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
)

// TestWriterRules checks that the Writers that pass messages to the Writer of a transport meet the rules of [engine.Writer].
func TestWriterRules(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind enginetest.Kind
		wrap func(s *session) engine.Writer
	}{
		"batch": {enginetest.Kind{Joins: 3}, func(s *session) engine.Writer {
			return &batch{request: request{from: &s.origin, route: s.route()}, left: 3}
		}},
		"storeRequest": {enginetest.Kind{}, func(s *session) engine.Writer { return newStoreRequest(s) }},
		"listerWriter": {enginetest.Kind{DropsResponses: true}, func(s *session) engine.Writer {
			c := new(call)
			c.out.To = s.conn.Out
			return &listerWriter{list: c, late: make(chan struct{})}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.TestWriter(t, tt.kind, func(tb testing.TB) enginetest.Client[engine.Writer] {
				tb.Helper()
				m := enginetest.Memory()
				return m.With(tt.wrap(newSession(tb.Context(), new(Server).core(), m.Writer)))
			})
		})
	}
	t.Run("storeRequest that is cancelled", func(t *testing.T) {
		t.Parallel()
		enginetest.TestWriter(t, enginetest.Kind{}, func(tb testing.TB) enginetest.Client[engine.Writer] {
			tb.Helper()
			m := enginetest.Memory()
			x := newStoreRequest(newSession(tb.Context(), new(Server).core(), m.Writer))
			c := m.With(x)
			c.Leave = func() { _ = x.out.Cancel(func() {}) }
			return c
		})
	})
}

// newStoreRequest returns a request whose messages are sent to the Conn of the session.
func newStoreRequest(s *session) *storeRequest {
	x := &storeRequest{inner: s.conn.Out, request: request{from: &s.origin}, key: "1"}
	x.out.To = x.inner
	return x
}
