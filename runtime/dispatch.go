package runtime

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// readMessage parses a message into m, whose state is used again. It never fails: text that cannot be parsed, or that
// exceeds the limits, is a message of kind [engine.Unreadable], which is answered with an error.
func readMessage(m *engine.Message, text []byte, limits *limits) {
	*m = engine.Message{State: m.State}
	switch {
	case len(text) > limits.MaxMessageBytes:
		m.Single.ID = idAtStart(text)
		m.Err = fmt.Errorf("the message is larger than %s", bytesize.Text(int64(limits.MaxMessageBytes)))
	case bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte{'['}):
		m.Kind = engine.Batch
		m.Items, m.Err = wire.Elements(text, limits.MaxDepth, limits.MaxBatchMessages+1)
	default:
		if m.Err = m.Single.Read(text, limits.MaxDepth); m.Err != nil {
			m.Single.ID = bytes.Clone(envelope.FindID(text))
		}
		m.Kind = m.Single.Kind
	}
	switch {
	case m.Err != nil:
		if errors.Is(m.Err, rawjson.ErrDepth) {
			m.Err = fmt.Errorf("the message nests deeper than %d levels", limits.MaxDepth)
		}
	case rawjson.ValuesExceed(text, limits.MaxValues):
		m.Items, m.Single = nil, envelope.Message{ID: bytes.Clone(m.Single.ID)}
		m.Err = fmt.Errorf("the message holds more than %d values", limits.MaxValues)
	}
	if m.Err != nil {
		m.Kind = engine.Unreadable
	}
}

// idAtStart returns the id in the first 1024 bytes of a message that is too large to be parsed.
func idAtStart(text []byte) []byte {
	return bytes.Clone(envelope.FindID(text[:min(len(text), envelope.IDLimit)]))
}

// take serves m; all messages that m causes are sent to the route.
func (o *origin) take(m *engine.Message, to route) {
	r, _ := m.State.(*request)
	if r == nil {
		r = new(request)
		m.State = r
	}
	if m.Select != nil {
		o.selectOnce(m.Select)
	}
	*r = request{
		from: o, route: to, access: (*Access)(m.Access), memory: m.Memory, header: m.Header, mismatch: m.Mismatch, values: m.Values,
		http: m.HTTP, stateless: m.Stateless, noListening: m.NoListening, id: m.Single.ID, params: &m.Single.Params,
	}
	switch {
	case m.Err != nil:
		r.unreadable(m.Err)
	case m.Kind == engine.Batch:
		serveBatch(r, m.Items)
	default:
		o.serve(&m.Single, r)
	}
}

// serve handles one parsed message. If it is a request, serve completes r, which only has its sender and its route.
// Notifications are never answered, so unknown and malformed ones are ignored.
func (o *origin) serve(m *envelope.Message, r *request) {
	switch m.Kind {
	case envelope.Malformed:
		o.logMalformed(m.Flaw)
		r.refuse(malformed(m.Flaw))
	case envelope.Response, envelope.Notification:
		isDone, name := o.peer.accept(m), string(m.Method)
		if m.Kind == envelope.Notification && o.observes {
			method := name
			if _, known := o.extensions.notifications[name]; known {
				r.values = nil // its func has the context of the connection
			} else if !isDone {
				method = ""
			}
			r.version = notificationVersion(r)
			observeRequest(r, observe.KindNotification, method)
		}
		if !isDone {
			notifyExtension(r, name) // notification.go
		}
		r.op.end(observe.OutcomeOK, nil, 0)
		r.respond(nil, engine.End{}) // neither is answered
	case envelope.Request:
		if err := r.dispatch(m.Method); err != nil {
			r.refuse(err)
		}
	}
}

// dispatch runs the stages of the request, in this order. The stages of all requests follow below, and
// the stages of calls are in the files that doc.go names. A stage that ends the request returns the error that answers
// it. The goroutine that runs a call answers it (run.go); it may be this one.
//
//nolint:contextcheck,nolintlint // a call is the context of what it runs, derived from that of its session
func (r *request) dispatch(name []byte) *wireError {
	leave := func() {}
	if size := len(r.params.Raw); size >= callctx.Long {
		var err *wireError
		if leave, err = r.from.enterSlot(r.access, size); err != nil { // slot.go
			return err
		}
		defer leave()
	}
	err := r.chooseVersion(name)
	if r.mismatch != nil {
		err = headerMismatch(r.mismatch)
	}
	if err != nil {
		r.method = r.from.methods[string(name)] // for observers
		return err
	}
	if err := r.chooseMethod(name); err != nil {
		return err
	}
	leave() // conditions of the author follow, and what may wait
	mayWait := r.method.mayWait != nil && r.method.mayWait()
	if !mayWait && r.method.find != nil {
		if err := r.method.find(r); err != nil {
			return err
		}
	}
	if r.from.observes {
		observeRequest(r, observe.KindRequest, r.method.name) // observer.go
	}
	if mayWait {
		return r.from.stages.store(r) // storerequest.go
	}
	if r.target == nil || r.target.row != r.method { // not a call
		return r.answer()
	}
	if err := r.limitRates(); err != nil { // the limits of the tool and of the server
		return err
	}
	c, err := r.build()
	if err != nil {
		return err
	}
	return r.schedule(c)
}

// chooseVersion sets the revision of the request. A request with a revision in its _meta is modern, independent of
// earlier messages. Other requests have the revision that initialize has negotiated, or are initialize itself.
func (r *request) chooseVersion(method []byte) (err *wireError) {
	if r.params.Meta.ProtocolVersion != nil {
		r.version, err = modernVersion(&r.params.Meta, &r.from.revisions)
		return err
	}
	if string(method) == methodInitialize && (r.stateless || len(r.from.revisions.Within(wire.LegacyVersions)) == 0) {
		return noHandshake(r.params, &r.from.revisions)
	}
	if r.stateless {
		return noVersion()
	}
	r.version = r.from.agreed()
	if r.version == wire.NoVersion {
		if name := string(method); name != methodInitialize && name != methodPing {
			return invalidParams("params._meta lacks " + wire.MetaProtocolVersion + " and " + wire.MetaClientCapabilities +
				", and there was no initialize request before")
		}
		r.version = wire.LatestLegacy // until initialize sets another one
	}
	return nil
}

// modernVersion returns the revision of a modern request. It checks the _meta in the order in which clients expect
// errors.
func modernVersion(meta *envelope.Meta, supported *wire.VersionSet) (wire.Version, *wireError) {
	if rawjson.KindOf(meta.ProtocolVersion) != rawjson.String {
		return wire.NoVersion, misaddressed("params._meta." + wire.MetaProtocolVersion + " must be a string")
	}
	name := rawjson.Unquote(meta.ProtocolVersion)
	asked := wire.ParseVersion(name)
	if !asked.Has(wire.PerRequest) || !supported[asked] {
		return wire.NoVersion, unsupportedVersion(supported, asked, string(name))
	}
	if rawjson.KindOf(meta.ClientCapabilities) != rawjson.Object {
		return wire.NoVersion, misaddressed("params._meta." + wire.MetaClientCapabilities + " must be an object")
	}
	if raw := meta.LogLevel; raw != nil && wire.ParseLogLevel(raw) == wire.NoLogLevel {
		return wire.NoVersion, invalidParams("params._meta." + wire.MetaLogLevel + " is not a valid log level")
	}
	return asked, nil
}

// chooseMethod finds the row of the method, and checks the params in general.
func (r *request) chooseMethod(name []byte) *wireError {
	m := r.from.methods[string(name)]
	if m != nil && m.span.First.Has(wire.PerRequest) && r.lacksSession() {
		return noVersion()
	}
	if m == nil || !m.span.Includes(r.version) || m.listens && r.noListening || m.offered != nil && !m.offered(r.version) {
		return unknownMethod(string(name))
	}
	if m.session && r.lacksSession() {
		return methodNotOffered(wire.Quote(string(name)) + " needs a session, but the request has none")
	}
	r.method = m // before checking the params, for observers
	return checkParams(r.params)
}

// checkParams checks the rules for the params of every method.
func checkParams(p *envelope.Params) *wireError {
	if p.Kind != rawjson.Invalid && p.Kind != rawjson.Object {
		return invalidParams("params must be an object")
	}
	if p.Twice != "" {
		return invalidParams("duplicate member " + p.Twice + " in params")
	}
	if p.Meta.Kind != rawjson.Invalid && p.Meta.Kind != rawjson.Object {
		return invalidParams("params._meta must be an object")
	}
	if t := p.Meta.ProgressToken; t != nil && !envelope.ValidID(t) {
		return invalidParams("params._meta.progressToken must be a string or an integer")
	}
	return nil
}

// answer answers a request that is not a call.
func (r *request) answer() *wireError {
	if r.method.start != nil {
		return r.method.start(r)
	}
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	msg, err := r.method.answer(r, wire.BeginResult(*buf, r.id))
	if *buf = msg; err == nil {
		*buf = wire.EndResponse(*buf)
		if r.store != nil {
			r.store.record = task.Record{} // the answer contains the record, and counts itself
			r.store.Release()
		}
		defer r.op.end(observe.OutcomeOK, nil, len(*buf)) // also if the transport panics
		r.respond(*buf, engine.End{})
	}
	return err
}

// limitRates refuses a call that exceeds a rate limit: first the limit of its tool, and then the limits of the server.
func (r *request) limitRates() *wireError {
	if limits := r.target.limits; limits != nil && limits.rate != nil {
		if err := r.target.limit(r.from.rateKey(r.access)); err != nil {
			return err
		}
	}
	if rates := &r.from.rates; rates.caller != nil || rates.all != nil {
		if text := rates.exceeded(r.from.rateKey(r.access)); text != "" {
			return r.target.refusal(text, observe.OutcomeRateLimited)
		}
	}
	return nil
}

// build creates the call of the request, which may be a task, or a retry with answers of the client.
func (r *request) build() (*call, *wireError) {
	c := newCall(r)
	if prepareTask := r.from.stages.task; r.method.calls && prepareTask != nil && (c.target.support != private.TaskForbidden || r.params.Task != nil) {
		if err := prepareTask(r, c); err != nil { // tasks.go
			return nil, err
		}
	} else if c.target.support == mcptool.TaskSupportRequired { // a tool that was added after Server.Check
		return nil, wrongTaskSupport(c.target.tool, "runs only as a task, and this server has no tasks")
	}
	isRetry := r.params.State != nil || r.params.Responses != nil
	if isRetry && r.method.retries && r.version.Has(wire.PerRequest) {
		if err := r.from.stages.retry(r, c); err != nil { // askstate.go
			return nil, err
		}
	}
	return c, nil
}

// newCall returns the call of the request. Its arguments refer to the text of the message; own copies them if the call
// runs later than in the turn of the goroutine that has read the message.
func newCall(r *request) *call {
	o, p := r.from, r.params
	c := &call{
		from: o, version: r.version, target: r.target, access: r.access, args: argumentsOf(r),
	}
	if r.uri != nil {
		c.extra.Store(&r.uri.extras)
	}
	if r.values != nil {
		c.needExtras().values = context.WithoutCancel(r.values)
	}
	kept := c.small[:0]
	if n := len(r.id) + len(p.Meta.Raw) + len(p.Meta.ProgressToken); n > len(c.small) {
		kept = make([]byte, 0, n)
	}
	keep := func(part []byte) []byte { // returns a copy
		if part == nil {
			return nil
		}
		start := len(kept)
		kept = append(kept, part...)
		return kept[start:len(kept):len(kept)]
	}
	c.id = keep(r.id)
	if p.Meta.ProgressToken != nil {
		progress := &respond.Progress{By: reporter{c}, Interval: o.limits.ProgressInterval}
		progress.Token = keep(p.Meta.ProgressToken)
		c.out.Track(progress)
	}
	if p.Meta.Kind == rawjson.Object {
		c.meta = keep(p.Meta.Raw)
	}
	if p.Meta.LogLevel != nil && r.version.Has(wire.PerRequest) {
		if level := wire.ParseLogLevel(p.Meta.LogLevel); level != wire.NoLogLevel {
			c.needExtras().logLevel = level
		}
	}
	if r.op != nil {
		r.op.call, r.op.Meta = c, c.meta
		c.op.Store(r.op)
	}
	return c
}

// argumentsOf returns the input of the call of the request: the arguments of a tool or prompt, the variables of a
// resource, or the params of a completion or a custom method.
func argumentsOf(r *request) []byte {
	switch {
	case r.method.calls, r.method.subject.kind == promptSubject:
		return r.params.Arguments
	case r.uri != nil:
		return r.uri.variables
	case r.params.Kind == rawjson.Object:
		return r.params.Raw
	default:
		return []byte("{}")
	}
}

// schedule runs the call: at once, in the turn of the goroutine that has read it, if it is expected to be quick;
// otherwise in another goroutine, at once or when other calls have ended. It checks the in-flight limit first, so that
// a refused call does not wait.
func (r *request) schedule(c *call) *wireError {
	if err := r.from.inFlight.Take(c.access.caller(), 1, admission.Within); err != nil {
		return c.target.refusal(r.from.inFlight.words(err), observe.OutcomeBusy)
	}
	if r.memory != nil && r.memory.Hold() {
		c.needExtras().reserved = r.memory
	}
	err := r.from.peer.run(r, c)
	if err != nil {
		c.Leave()
	}
	return err
}

// replyLong answers with the result that build appends, of about size bytes. If it is long, replyLong waits for a
// slot for long work before build.
func (r *request) replyLong(size int, build func(dst []byte) []byte) *wireError {
	leave, err := r.from.enterSlot(r.access, size)
	if err != nil {
		return err
	}
	defer leave()
	wire.Compose(func(msg []byte) {
		leave()
		defer r.op.end(observe.OutcomeOK, nil, len(msg)) // also if the transport panics
		r.respond(msg, engine.End{})
	}, func(dst []byte) []byte {
		return wire.EndResponse(build(wire.BeginResult(slices.Grow(dst, size+restOfPage), r.id)))
	})
	return nil
}

// refuse answers an invalid message, or a request that one of its stages has ended with an error.
func (r *request) refuse(err *wireError) {
	if r.op == nil && r.from.observes {
		observeRequest(r, observe.KindRequest, "")
	}
	wire.Compose(func(msg []byte) {
		r.op.end(observe.OutcomeOK, err, len(msg))
		r.respond(msg, err.end())
	}, func(dst []byte) []byte {
		return r.from.appendError(dst, r.id, err, r.version)
	})
}

// restOfPage is the room in a page in addition to its entries, in bytes. It is enough for most pages, so that they need
// not be copied to grow.
const restOfPage = 1 << 10

// unreadable answers text that was not, or could not be, parsed completely.
func (r *request) unreadable(reason error) {
	text := wire.OneLine(reason.Error(), r.from.limits.MaxTextBytes)
	r.from.logMalformed(text)
	e := malformed(text)
	if _, ok := errors.AsType[*rawjson.SyntaxError](reason); ok {
		e = notJSON(text)
	}
	r.refuse(e)
}
