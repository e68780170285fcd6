package streamhttp

import (
	"errors"
	"net/http"
	"sync"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// reply is the answer to one modern request: JSON, or an event stream once something
// comes before the response. Nothing is committed before it is known which,
// so that an error can still have its status. It implements [runtime.Stateless].
type reply struct {
	header http.Header // of the request
	accept acceptable
	done   chan struct{} // closed when the answer is complete

	mu     sync.Mutex // held while something is written
	over   bool       // nothing may be written any more
	w      http.ResponseWriter
	events *eventStream // nil: not begun
}

func newReply(w http.ResponseWriter, r *http.Request, accept acceptable) *reply {
	return &reply{header: r.Header, accept: accept, done: make(chan struct{}), w: w}
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
	p.over = true
	defer close(p.done)
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

// keepAlive gives a stream a sign of life.
func (p *reply) keepAlive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.events != nil && !p.over {
		_ = p.events.comment() // the request's context tells of clients that have gone
	}
}

// abandon sees to it that nothing is written any more.
func (p *reply) abandon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}
