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

// holding is a Conn that holds responses back until Flush, and loses one of them.
type holding struct {
	enginetest.Discard
	held []string
	lost string
}

func (h *holding) Respond(msg []byte, end engine.End) error {
	defer end.Wrote()
	if string(msg) == h.lost {
		return engine.ErrUndelivered
	}
	h.held = append(h.held, string(msg))
	return nil
}

func (h *holding) Flush() error {
	h.held = nil
	return nil
}

// someMessages is a Source that calls idle when it has no more messages.
type someMessages struct {
	texts []string
	idle  func()
}

func (s *someMessages) Next() ([]byte, error) {
	if len(s.texts) == 0 {
		s.idle()
		return nil, io.EOF
	}
	text := s.texts[0]
	s.texts = s.texts[1:]
	return []byte(text), nil
}

func (s *someMessages) Ready() bool { return len(s.texts) > 0 }
func (s *someMessages) Detach()     {}

// TestHeldResponses: before the reading waits for a message, the responses that were held back are delivered, also if a later
// one was lost.
func TestHeldResponses(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"lost before a notification": {"1", "lost", ""},
		"lost as the last message":   {"1", "lost"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &holding{lost: "lost"}
			n := connection.New(connection.Config{
				Out: out, Context: t.Context(), Log: slog.New(slog.DiscardHandler), Unread: new(atomic.Int32),
				ErrShutdown: errors.New("shutdown"), Sent: func(error) bool { return false }, IsBusy: func() bool { return false },
			})
			err := n.Read(&someMessages{texts, func() {
				if len(out.held) > 0 {
					t.Errorf("responses %q are held back while no message is ready", out.held)
				}
			}}, func(text []byte, turn *connection.Turn) {
				if len(text) > 0 {
					_ = turn.Respond(text, engine.End{})
				}
			})
			if err != nil {
				t.Errorf("Read = %v", err)
			}
		})
	}
}
