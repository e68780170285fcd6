package runtime

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// The optional methods of an [engine.Exchange].
type (
	challenger interface {
		Challenge(needed []string) bool
	}
	deferred      interface{ Written() <-chan struct{} }
	earlyAnswerer interface{ Early() }
	asker         interface {
		Ask(ctx context.Context, request []byte) (result json.RawMessage, err error)
	}
)

// stream is the [replier] of a message that has an [engine.Exchange].
type stream struct {
	from     *origin
	exchange engine.Exchange
	inline   bool // the goroutine of the transport runs the call
}

// send implements [replier].
func (t *stream) send(msg []byte) (lost bool) {
	err := t.exchange.Send(msg)
	if errors.Is(err, engine.ErrUndelivered) {
		return true
	}
	t.from.sent(err)
	return false
}

// written returns a channel that is closed when the response has been written; nil if the response is written when it
// is sent.
func written(to replier) <-chan struct{} {
	if t, ok := to.(*stream); ok {
		if x, ok := t.exchange.(deferred); ok {
			return x.Written()
		}
	}
	return nil
}

func (t *stream) reply(msg []byte, why engine.Disposition) { t.exchange.End(msg, why) }
func (t *stream) later() replier                           { return t }
func (t *stream) skip(why engine.Disposition)              { t.exchange.End(nil, why) }
