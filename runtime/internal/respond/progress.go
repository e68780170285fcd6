package respond

import (
	"time"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Progress is the progress reports of an [Out]. The protocol requires that the value increases with each notification,
// and limits their rate. So reports whose value does not increase are dropped, and of reports within the interval only
// the last one is sent, when the interval is over or before the response.
type Progress struct {
	By       Reporter
	Token    []byte // of the client, raw JSON
	Interval time.Duration

	out     *Out // its mutex guards the fields below
	begun   bool
	highest float64 // the highest value so far
	sent    time.Time
	held    *Report     // accepted, not sent yet
	timer   *time.Timer // sends held when the interval is over; nil if it is not set
}

// Reporter is the request that [Progress] belongs to.
type Reporter interface {
	// AppendProgress appends the notification with a report.
	AppendProgress(dst, token []byte, r *Report) []byte
	// Sent handles the error of the Writer for a report; nil if there is none.
	Sent(err error)
	// Contain is deferred by the goroutine that sends a report after the interval. It recovers panics.
	Contain()
}

// Report is one report of a tool.
type Report struct {
	Done, Total float64
	Message     string
}

// Track makes the Out accept reports. It is called before other goroutines can find the Out.
func (o *Out) Track(p *Progress) { o.progress, p.out = p, o }

// Tracks reports whether the client wants reports.
func (o *Out) Tracks() bool { return o.progress != nil }

// Report sends a report of an Out that tracks them, now or later, unless it is not the highest so far.
func (o *Out) Report(r *Report) {
	o.mu.Lock()
	defer o.mu.Unlock()
	p := o.progress
	if o.isOver() || p.begun && r.Done <= p.highest {
		return
	}
	p.begun, p.highest, p.held = true, r.Done, r
	switch wait := time.Until(p.sent.Add(p.Interval)); {
	case p.timer != nil:
	case wait <= 0:
		p.send()
	default:
		p.timer = time.AfterFunc(wait, p.flush)
	}
}

// flush sends the report that is held back when the interval is over.
func (p *Progress) flush() {
	defer p.By.Contain()
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	p.timer = nil
	p.send()
}

// last sends the report that is held back, as the last one. The caller holds the mutex of the Out, as for the methods below.
func (p *Progress) last() {
	p.send()
	p.stop()
}

// stop stops the timer after the last report.
func (p *Progress) stop() {
	if p != nil && p.timer != nil {
		p.timer.Stop()
	}
}

// send sends the report that is held back, if there is one.
func (p *Progress) send() {
	if p.held == nil || p.out.isOver() {
		return
	}
	r := p.held
	p.held, p.sent = nil, time.Now()
	wire.Compose(func(msg []byte) { p.By.Sent(p.out.To.Notify(msg)) }, func(dst []byte) []byte { return p.By.AppendProgress(dst, p.Token, r) })
}
