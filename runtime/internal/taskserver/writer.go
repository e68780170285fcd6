package taskserver

import (
	"errors"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
)

// writer is the [engine.Writer] of a task of a legacy revision. Its notifications and requests are sent with the answer
// of the tasks/result that waits for the task; without one, they are sent as messages that belong to no request. It has
// no response.
type writer struct {
	engine.NoAsk

	runner *runner
}

// Notify implements [engine.Writer].
func (w writer) Notify(msg []byte) error {
	c := w.runner.call
	if waiting := c.Waiting(w.runner.ID()); waiting != nil {
		if err := waiting.Notify(msg); !errors.Is(err, respond.ErrOver) {
			return err
		}
	}
	if c.Send(msg) {
		return engine.ErrUndelivered
	}
	return nil
}

// Respond implements [engine.Writer].
func (writer) Respond(_ []byte, end engine.End) error {
	end.Wrote()
	return nil
}
