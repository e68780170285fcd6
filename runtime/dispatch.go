package runtime

import (
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

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
		r.method = r.from.method(name) // for observers
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
		r.observe(observe.KindRequest, r.method.name) // observer.go
	}
	if mayWait {
		return r.from.stages.store(r) // storerequest.go
	}
	if r.target == nil || r.target.row != r.method { // not a call
		return r.answer()
	}
	if err := r.limitRates(); err != nil { // rates.go
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
	m := r.from.method(name)
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

// schedule runs the call: at once, in the turn of the goroutine that has read it, if it is expected to be quick;
// otherwise in another goroutine, at once or when other calls have ended. It checks the in-flight limit first, so that
// a refused call does not wait.
func (r *request) schedule(c *call) *wireError {
	if err := r.from.inFlight.enter(c, r.memory); err != nil {
		return c.refusal(r.from.inFlight.words(err), observe.OutcomeBusy)
	}
	err := r.from.peer.run(r, c)
	if err != nil {
		r.from.inFlight.leave(c)
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
		r.observe(observe.KindRequest, "")
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
