package enginetest_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
)

// TestConns tests the Conns that other tests use.
func TestConns(t *testing.T) {
	t.Parallel()
	t.Run("Conn", func(t *testing.T) {
		t.Parallel()
		enginetest.TestConn(t, enginetest.Kind{}, func(testing.TB) enginetest.Client[engine.Conn] {
			return enginetest.Memory()
		})
	})
	t.Run("Discard", func(t *testing.T) {
		t.Parallel()
		kind := enginetest.Kind{DropsNotifications: true, DropsResponses: true, Stays: true}
		enginetest.TestConn(t, kind, func(testing.TB) enginetest.Client[engine.Conn] {
			return enginetest.Client[engine.Conn]{Writer: enginetest.Discard{}, Received: func() []string { return nil }}
		})
	})
}
