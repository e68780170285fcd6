package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
)

// call is one tools/call on its way, or one request for a method of the author's own. It is
// the context of what runs, and its [mcptool.Host]. Since that may keep its context, no call is
// used twice.
type call struct {
	exchange
	callContext
	*toolState
	access *Access // of who calls

	// Raw JSON, nil if there was none. The arguments are a part of the message if the
	// call is run by who has read it; the others are copies.
	id, args, meta []byte

	rare  atomic.Pointer[rarities]
	small [16]byte // room for id and what else is short
}

// rarities are what few calls have. It is kept apart, because each call is allocated.
type rarities struct {
	progress *progress                  // nil if the client did not ask; guarded by exchange.mu
	asking   atomic.Pointer[replay.Run] // what it has asked, nil if nothing
	open     int                        // what it waits for while others run in its place; guarded by Session.mu
	late     chan struct{}              // closed when its time is up; nil if nobody waits for that
	job      *job                       // nil if the call is no task and does not become one
	memory   *Reservation               // held until the call leaves traffic, nil if its transport reserves nothing
	begun    timestamp                  // zero unless the call is audited
	logLevel logLevel                   // least level the client wants, of a modern request
	isError  bool                       // the result says that the tool failed
	audited  atomic.Bool                // the log has the record of the call
}

// none is the rarities of all calls that have none. It never changes.
var none rarities

// has returns the rarities of the call, to be looked at.
func (c *call) has() *rarities {
	if has := c.rare.Load(); has != nil {
		return has
	}
	return &none
}

// rarities returns the rarities of the call, to be changed.
func (c *call) rarities() *rarities {
	if c.rare.Load() == nil {
		c.rare.CompareAndSwap(nil, new(rarities))
	}
	return c.rare.Load()
}

// callTool begins a tools/call.
func (r *request) callTool() *wireError {
	err := r.findTool()
	if err != nil {
		r.auditRefusal(outcomeRefused, 0)
	}
	return err
}

// findTool finds the tool that is called, and begins the call if it may be.
func (r *request) findTool() *wireError {
	p := r.params
	if jsonscan.KindOf(p.Name) != jsonscan.String {
		return invalidParams("params.name must be a string")
	}
	switch jsonscan.KindOf(p.Arguments) {
	case jsonscan.Invalid, jsonscan.Object:
	default:
		return invalidParams("params.arguments must be an object")
	}
	name := jsonscan.Unquote(p.Name)
	what := r.session.find(name)
	if what == nil {
		return r.unknownTool(string(name))
	}
	if !r.access.Allows(what.tool) {
		return r.forbid(what.tool)
	}
	if x := r.stateless(); x != nil {
		if err := x.CheckCall(what.tool, p.Arguments); err != nil {
			return &wireError{code: codeHeaderMismatch, message: err.Error(), refusal: Misaddressed}
		}
	}
	if r.tooMany(what) {
		return nil
	}
	c := newCall(r, what, p.Arguments)
	if err := r.asTask(c); err != nil {
		return err
	}
	return r.resume(c)
}

// resume begins the call with what the request brings from an earlier one.
func (r *request) resume(c *call) *wireError {
	if r.version.has(perRequest) {
		if err := c.resume(r.params); err != nil {
			return err
		}
	}
	return r.begin(c)
}

// begin takes the call on, if the server has room for it.
func (r *request) begin(c *call) *wireError {
	if err := r.session.inFlight.enter(c, r.memory); err != nil {
		return r.turnAway(c, err)
	}
	err := r.start(c)
	if err != nil {
		r.session.inFlight.leave(c)
	}
	return err
}

// start runs the call in the turn of who has read it if it is expected to be quick, and
// otherwise has it run later.
func (r *request) start(c *call) *wireError {
	job := c.has().job
	if job != nil {
		job.tie()
	}
	if e := r.session.endpoint; e != nil {
		e.run(c)
		return nil
	}
	if turn, ok := r.to.(*reader); ok && job == nil && c.pace.isQuick() {
		return turn.serve(c)
	}
	err := r.session.admit(c)
	if err != nil && job != nil {
		job.untie()
	}
	return err
}

// newCall returns a call that r asks for. Of what was received it keeps only the arguments, and those
// as long as the call is in the turn of who has read it; see own.
func newCall(r *request, what *toolState, args []byte) *call {
	s, p := r.session, r.params
	c := &call{
		exchange:    exchange{session: s, to: r.later(), version: r.version},
		callContext: callContext{origin: &s.origin},
		toolState:   what, access: r.access, args: args,
	}
	if s.isAudited() {
		c.rarities().begun = r.now()
	}
	if limit := c.limit(); limit != nil {
		c.due = r.now().after(limit.Limit)
	}
	kept := c.small[:0]
	if n := len(r.id) + len(p.Meta.Raw) + len(p.Meta.ProgressToken); n > len(c.small) {
		kept = make([]byte, 0, n)
	}
	c.id, kept = keep(kept, r.id)
	if p.Meta.ProgressToken != nil {
		progress := new(progress)
		progress.token, kept = keep(kept, p.Meta.ProgressToken)
		c.rarities().progress = progress
	}
	if p.Meta.Kind == jsonscan.Object {
		c.meta, _ = keep(kept, p.Meta.Raw)
	}
	if r.version.has(perRequest) {
		if level := parseLogLevel(p.Meta.LogLevel); level != noLogLevel {
			c.rarities().logLevel = level
		}
	}
	return c
}

// keep copies part, which may be nil, to the end of kept, which has room for it.
func keep(kept, part []byte) (copied, rest []byte) {
	if part == nil {
		return nil, kept
	}
	start := len(kept)
	kept = append(kept, part...)
	return kept[start:len(kept):len(kept)], kept
}

// own makes the arguments the call's own, so that it can outlive what was received.
func (c *call) own() { c.args = bytes.Clone(c.args) }

// name is the name of what runs.
func (c *call) name() string {
	if c.method != nil {
		return c.method.Name
	}
	return c.tool.Name()
}

// attr says in the log what runs.
func (c *call) attr() slog.Attr {
	if c.method != nil {
		return slog.String("method", c.method.Name)
	}
	return slog.String("tool", c.tool.Name())
}

// size is what the call holds while it waits, in bytes.
func (c *call) size() int {
	return len(c.id) + len(c.args) + len(c.meta)
}

// errGoexit is what happened to a call whose goroutine was ended under it.
var errGoexit = errors.New("the tool ended its goroutine with runtime.Goexit")

// run runs the tool and sends the response.
func (c *call) run() {
	defer c.contain()
	switch {
	case c.method != nil:
		c.runMethod()
		return
	case c.has().job != nil:
		c.has().job.attend()
		return
	}
	buf := c.toolState.size.buffer()
	defer putBuffer(buf)
	msg, err := c.appendResult(beginResult(*buf, c.id))
	switch {
	case c.asks(err):
		return
	case err != nil:
		c.fail(err)
		return
	}
	*buf = endResponse(msg)
	c.toolState.size.was(len(*buf))
	c.answer(*buf, Served, c.succeeded())
}

// fail answers the call with what went wrong.
func (c *call) fail(err error) {
	f := c.session.explain(c, err)
	buf := getBuffer()
	defer putBuffer(buf)
	if f.protocol != nil {
		*buf = appendError(*buf, c.id, f.protocol)
		c.answer(*buf, f.protocol.refusal, c.failed(err))
		return
	}
	*buf = endResponse(c.session.appendFailure(beginResult(*buf, c.id), f.text, c.version))
	c.answer(*buf, Served, c.failed(err))
}

// answer sends the response and ends the call.
func (c *call) answer(msg []byte, why Refusal, how outcome) {
	if c.deliver(msg, why) {
		c.audit(how, len(msg))
	}
}

// deliver sends the response, unless another was sent or none is wanted, and ends the call. It reports
// whether the response was sent.
func (c *call) deliver(msg []byte, why Refusal) bool {
	c.session.unread.Add(1) // before it is in flight no more: see logStuck
	defer c.session.unread.Add(-1)
	c.discharge()
	defer c.end(nil)
	c.mu.Lock()
	defer c.mu.Unlock() // even if the transport panics
	if progress := c.has().progress; progress != nil {
		c.sendHeld()
		progress.stop()
	}
	wanted := !c.mute()
	c.last(msg, why)
	return wanted
}

// abandoned implements [pending]: the session ends, and the tool has not.
func (c *call) abandoned() { c.fail(ErrShutdown) }

// cancelled implements [pending]: the client wants no answer any more.
func (c *call) cancelled(reason string) {
	cause := ErrCancelled
	if reason != "" {
		cause = fmt.Errorf("%w: %s", ErrCancelled, reason)
	}
	c.unwanted.Store(true) // before end: a tool that heeds it answers at once
	c.end(cause)           // before silence, which may have to wait for a message being sent
	s := c.session
	s.mu.Lock()
	waited := s.calls.remove(c)
	s.mu.Unlock()
	if waited {
		s.inFlight.leave(c)
	}
	if job := c.has().job; job != nil {
		job.untie()
	}
	c.silence()
	c.mu.Lock()
	c.has().progress.stop()
	c.mu.Unlock()
	c.audit(outcomeCancelled, 0)
	s.log.LogAttrs(s.ctx, slog.LevelInfo, "call cancelled by the client", c.attr(),
		slog.String("request_id", string(c.id)), slog.String("reason", reason))
}

// CallInfo implements [mcptool.Host].
func (c *call) CallInfo() mcptool.CallInfo {
	info := mcptool.CallInfo{
		RequestID:       string(c.id),
		ProtocolVersion: c.version.String(),
		Principal:       c.access.principal(),
		Meta:            c.meta,
	}
	if c.tool != nil {
		info.Tool = c.tool.Name()
	}
	if c.version.has(perRequest) {
		members(c.meta, func(name string, value []byte) {
			switch name {
			case metaClientInfo:
				info.Client, _ = readClientInfo(value)
			case metaClientCapabilities:
				info.Capabilities = value
			}
		})
		return info
	}
	if h := c.session.hello.Load(); h != nil {
		info.Client, info.Capabilities = h.client, h.capabilities
	}
	return info
}
