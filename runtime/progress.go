package runtime

import (
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Progress implements host of package mcptool.
func (c *call) Progress(done, total float64, message string) {
	p, run := c.extras().reports, c.extras().run
	if p == nil && run == nil {
		return
	}
	message = c.from.redactor.Clean(message)
	if run != nil {
		run.report(done, total, message)
	}
	if p == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mute() || p.begun && done <= p.last {
		return
	}
	p.begun, p.last = true, done
	p.held = &report{done, total, wire.Cut(message, c.from.limits.MaxTextBytes)}
	switch wait := time.Until(p.sent.Add(c.from.limits.ProgressInterval)); {
	case p.timer != nil:
	case wait <= 0:
		p.sendHeld()
	default:
		p.timer = time.AfterFunc(wait, p.flush)
	}
}

// appendRelated appends the _meta of a message that the call sends, if the call is a task of a revision that requires
// it.
func (c *call) appendRelated(dst []byte) []byte {
	run := c.extras().run
	if run == nil || c.version.Has(wire.PerRequest) {
		return dst
	}
	dst = append(rawjson.AppendName(dst, "_meta"), '{')
	return append(append(dst, wire.RelatedTask(run.id())...), '}')
}

// flush sends the delayed report when the interval is over.
func (p *progress) flush() {
	c := p.call
	defer c.contain()
	c.mu.Lock()
	defer c.mu.Unlock()
	p.timer = nil
	p.sendHeld()
}

// stop stops the timer after the last report. The caller holds the call's mu.
func (p *progress) stop() {
	if p != nil && p.timer != nil {
		p.timer.Stop()
	}
}

// sendHeld sends the delayed report, if there is one. The caller holds the call's mu.
func (p *progress) sendHeld() {
	if p == nil || p.held == nil || p.call.mute() {
		return
	}
	c, r := p.call, p.held
	p.held, p.sent = nil, time.Now()
	wire.Compose(func(msg []byte) { c.to.send(msg) }, func(dst []byte) []byte {
		dst = append(dst, `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`...)
		dst = append(dst, p.token...)
		dst = rawjson.AppendFloat(rawjson.AppendName(dst, "progress"), r.done)
		if r.total > 0 {
			dst = rawjson.AppendFloat(rawjson.AppendName(dst, "total"), r.total)
		}
		if c.version.Has(wire.ProgressMessage) {
			dst = wire.Redactor(nil).AppendOptional(dst, "message", r.message) // redacted by Progress
		}
		return append(c.appendRelated(dst), `}}`...)
	})
}
