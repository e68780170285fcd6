package streamhttp

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// reply is the answer to one modern request: JSON, or an event stream once something
// comes before the response. Nothing is committed before it is known which,
// so that an error can still have its status. It implements [runtime.Stateless].
type reply struct {
	who    *visitor
	memory *runtime.Reservation // of the message, and of its answer
	header http.Header          // of the request
	log    *slog.Logger
	accept acceptable
	every  time.Duration // how often a silent stream is given a sign of life; never if not above zero
	done   chan struct{} // closed when the answer is complete; nil if nobody waits for that

	mu     sync.Mutex // held while something is written
	over   bool       // nothing may be written any more
	w      http.ResponseWriter
	events *eventStream // nil: not begun
	beat   *time.Timer  // gives the signs of life, from the beginning of the stream on
}

func (h *handler) newReply(w http.ResponseWriter, r *http.Request, m *runtime.Message, accept acceptable) *reply {
	return &reply{who: visitorOf(r), memory: m.Memory, header: r.Header, log: h.log, accept: accept, every: h.config.keepAlive, w: w}
}

var errOver = errors.New("the request is over")

// Send implements [runtime.Exchange]. A client that reads no event streams goes without.
func (p *reply) Send(msg []byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.over:
		return errOver
	case !p.accept.events:
		return nil
	case p.events == nil:
		p.events = beginEvents(p.w)
		if p.every > 0 {
			p.beat = time.AfterFunc(p.every, p.keepAlive)
		}
	}
	return p.events.message("", msg)
}

// End implements [runtime.Exchange].
func (p *reply) End(msg []byte, why runtime.Refusal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	p.finish()
	p.memory.Add(len(msg))
	status := modernStatus(why)
	switch {
	case msg == nil:
	case p.events == nil && (p.accept.json || status != http.StatusOK):
		writeJSON(p.w, status, msg)
	default:
		if p.events == nil {
			p.events = beginEvents(p.w)
		}
		_ = p.events.message("", msg) // who does not read it has gone
	}
}

// CheckCall implements [runtime.Stateless].
func (p *reply) CheckCall(tool *mcptool.Tool, arguments []byte) error {
	return checkParamHeaders(p.header, tool, arguments)
}

// finish ends the answer. The caller holds p.mu.
func (p *reply) finish() {
	p.over = true
	if p.beat != nil {
		p.beat.Stop()
	}
	if p.done != nil {
		close(p.done)
	}
}

// keepAlive gives a stream a sign of life, and will again.
func (p *reply) keepAlive() {
	defer contain.Panic(context.Background(), p.log, "stream not kept alive") // net/http contains what its own goroutine does
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		_ = p.events.comment() // the request's context tells of clients that have gone
		p.beat.Reset(p.every)
	}
}

// abandon sees to it that nothing is written any more.
func (p *reply) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.finish()
	}
}

// flush sends what the server may still hold back of the answer.
func (p *reply) flush() { _ = http.NewResponseController(p.w).Flush() }
