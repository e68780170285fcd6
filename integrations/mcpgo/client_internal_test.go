package mcpgo

import (
	"errors"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
)

// httpSession is a session over HTTP.
type httpSession struct{ *server.InProcessSession }

func (httpSession) UpgradeToSSEWhenReceiveNotification() {}

// TestSharedSession: no message is sent to the session that all clients of a stateless transport
// share, also if the engine tries to.
func TestSharedSession(t *testing.T) {
	t.Parallel()
	srv := server.NewMCPServer("demo", "1")
	for id, isShared := range map[string]bool{"": true, "a": false} {
		session := server.NewInProcessSession(id, nil)
		session.Initialize()
		c := &client{srv.WithContext(t.Context(), httpSession{session}), srv}
		if err := c.Notify("notifications/progress", []byte(`{}`)); errors.Is(err, engine.ErrUndelivered) != isShared || len(session.ClientNotifications()) > 0 == isShared {
			t.Errorf("session %q: a notification has the error %v", id, err)
		}
		if _, err := c.Ask(c.ctx, []byte(`{"method":"roots/list"}`)); errors.Is(err, mcptool.ErrNoAnswer) != isShared {
			t.Errorf("session %q: a request has the error %v", id, err)
		}
	}
}
