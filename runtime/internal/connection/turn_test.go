package connection_test

import (
	"errors"
	"io"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
	"github.com/mcptool-go/mcptool/runtime/internal/connection"
)

// TestTurnRules checks that a Turn meets the rules of [engine.Writer]. It holds a response back if another message is ready.
func TestTurnRules(t *testing.T) {
	t.Parallel()
	for name, isReady := range map[string]bool{"last message": false, "before another message": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			enginetest.TestWriter(t, enginetest.Kind{}, func(tb testing.TB) enginetest.Client[engine.Writer] {
				tb.Helper()
				m := enginetest.Memory()
				n := connection.New(connection.Config{
					Out: m.Writer, Context: tb.Context(), Log: slog.New(slog.DiscardHandler), Unread: new(atomic.Int32),
					ErrShutdown: errors.New("shutdown"), Sent: func(error) bool { return false }, IsBusy: func() bool { return false },
				})
				turns, done := make(chan *connection.Turn), make(chan error)
				go func() {
					done <- n.Read(&oneMessage{isReady: isReady}, func(_ []byte, turn *connection.Turn) {
						turns <- turn
						<-tb.Context().Done() // before the cleanup
					})
				}()
				tb.Cleanup(func() {
					if err := <-done; err != nil {
						tb.Error(err)
					}
				})
				return m.With(<-turns)
			})
		})
	}
}

// oneMessage is a Source with one message.
type oneMessage struct {
	isReady bool // for Ready
	isRead  bool
}

func (s *oneMessage) Next() ([]byte, error) {
	if s.isRead {
		return nil, io.EOF
	}
	s.isRead = true
	return []byte("{}"), nil
}

func (s *oneMessage) Ready() bool { return s.isReady }
func (s *oneMessage) Detach()     {}
