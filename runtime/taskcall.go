package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"runtime/debug"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/respond"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// taskCall is a call as tasks see it. It implements [taskengine.Call].
type taskCall struct{ *call }

func (c taskCall) End(cause error)          { c.end(cause) }
func (c taskCall) Tool() *mcptool.Tool      { return c.target.tool }
func (c taskCall) Version() wire.Version    { return c.version }
func (c taskCall) RequestID() string        { return string(c.id) }
func (c taskCall) Owner() task.Owner        { return c.access.owner() }
func (c taskCall) Caller() admission.Caller { return c.access.caller() }

// Durable returns the data to run the call again.
func (c taskCall) Durable() (*task.Durable, error) {
	d := &task.Durable{Arguments: bytes.Clone(c.args), Meta: bytes.Clone(c.meta), Trusted: c.access == nil}
	if c.access != nil {
		d.Scopes = c.access.Scopes
	}
	var err error
	if h := c.from.hello.Load(); h != nil {
		d.Client, err = json.Marshal(keptClient{h.client, h.capabilities})
	}
	return d, err
}

// Hold makes the memory of the arguments count until drop is called.
func (c taskCall) Hold() (drop func()) {
	memory := c.extras().reserved
	if !memory.Hold() {
		return func() {}
	}
	return memory.Release
}

// FollowRequest makes the call end with its request until release is called.
func (c taskCall) FollowRequest() (release func() bool) { return c.from.afterEnd(c.end) }

// Run runs the tool and calls settle with the result.
func (c taskCall) Run(settle func(result []byte, err error)) {
	defer c.release() // bytes that were reserved while it was not in flight
	defer c.contain()
	err := errGoexit
	var result []byte
	defer func() { // also if the tool ends its goroutine
		if v := recover(); v != nil { // a bug of this module: panics of the tool are recovered elsewhere
			err = &mcptool.PanicError{Tool: c.target.name(), Value: v, Stack: debug.Stack()}
		}
		settle(result, err)
	}()
	result, err = c.target.render(c.call, nil)
}

// Answer answers the request with the result of Run.
func (c taskCall) Answer(result []byte, err error) {
	switch {
	case asks(c.call, err):
	case err != nil:
		c.fail(err)
	default:
		wire.Compose(func(msg []byte) { c.answer(msg, outcomeOf(c.call, nil), nil) }, func(dst []byte) []byte {
			return wire.EndResponse(append(wire.BeginResult(dst, c.id), result...))
		})
	}
}

func (c taskCall) Fail(err error)        { c.fail(err) }
func (c taskCall) Refuse(text string)    { c.refuse(internalError(text), observe.OutcomeRefused) }
func (c taskCall) Hide(err error) string { return hide(c.call, []slog.Attr{slog.Any("error", err)}) }

// Contain recovers a panic.
func (c taskCall) Contain() {
	if v := recover(); v != nil {
		c.recovered(v)
	}
}

// BecomeTask begins the operation of the task.
func (c taskCall) BecomeTask() (answered func(size int)) {
	message := c.op.Load()
	if message != nil {
		op := &observation{Operation: message.Operation, from: message.from, access: message.access, call: c.call, isUnselected: message.isUnselected}
		op.Kind = observe.KindTask
		c.op.Store(op.begin(message.ctx))
	}
	return func(size int) { message.end(observe.OutcomeTask, nil, size) }
}

// Replace answers the request, and directs later messages to next.
func (c taskCall) Replace(next engine.Writer, msg []byte, end engine.End) {
	c.from.peer.freeID(c.call)
	c.from.sent(c.out.Replace(next, msg, end))
}

// AppendTail ends a result object.
func (c taskCall) AppendTail(dst, kind, meta []byte) []byte {
	return c.from.serverInfo.AppendTail(dst, kind, c.version, meta)
}

// Explain returns the end of the task in the form for its client.
func (c taskCall) Explain(result []byte, err error) (_ []byte, e *wire.Error, failed bool) {
	if err == nil {
		return result, nil, c.extras().isError
	}
	failure := explain(c.call, err)
	if !failure.forModel {
		return nil, &failure.Error, true
	}
	return c.from.appendFailure(nil, failure.Message, c.version), nil, true
}

func (c taskCall) Outcome(err error) observe.Outcome     { return outcomeOf(c.call, err) }
func (c taskCall) EndTask(how observe.Outcome, size int) { c.op.Load().end(how, nil, size) }
func (c taskCall) Timeout() error                        { return c.target.timeout() }
func (c taskCall) Send(msg []byte) (lost bool)           { return c.from.peer.send(msg) }
func (c taskCall) IsConnected() bool                     { return c.from.ctx.Err() == nil }
func (c taskCall) Waiting(id string) *respond.Out        { return waitingFor(c.from, id) }
func (c taskCall) Memory() *replay.Run                   { return c.memory() }
func (c taskCall) Asked() *replay.Run                    { return c.extras().asking.Load() }

// Ask sends the requests one after the other.
func (c taskCall) Ask(ctx context.Context, requests []wire.ClientRequest) ([]json.RawMessage, error) {
	return askNow(ctx, c.call, requests)
}

// Pause stops the use of the limits of the tool until resume.
func (c taskCall) Pause() (resume func()) {
	use := c.extras().use
	use.suspend(c.call)
	return func() { use.resume(c.call) }
}

// Restore implements [taskengine.Server].
func (s taskServer) Restore(r *task.Record, v wire.Version, tool *mcptool.Tool, runner taskengine.Runner, next engine.Writer, known replay.Log) (_ taskengine.Call, why string) {
	access := storedAccess(r)
	if !access.allows(tool) {
		return nil, "the tool now needs scopes that the caller did not have"
	}
	from, err := storedOrigin(s.core, r)
	if err != nil {
		return nil, "the stored data of the client cannot be read: " + err.Error()
	}
	c := &call{
		from: from, version: v, target: s.lists.catalog().state(tool), access: access, args: r.Durable.Arguments, meta: r.Durable.Meta,
	}
	x := c.needExtras()
	x.runner = runner
	c.out.To = next
	if v.Has(wire.PerRequest) {
		c.out.Close()
	}
	x.asking.Store(newMemory(c, known, nil))
	if s.observes {
		op := beginStored(from, r)
		op.call = c
		c.op.Store(op)
	}
	return taskCall{c}, ""
}

// GivenUp implements [taskengine.Server].
func (s taskServer) GivenUp(r *task.Record) {
	if s.observes {
		from, _ := storedOrigin(s.core, r)
		beginStored(from, r).end(observe.OutcomeFailed, nil, 0)
	}
}

// storedAccess returns the access of the sender of a stored request.
func storedAccess(r *task.Record) *Access {
	if r.Durable.Trusted {
		return nil
	}
	return &Access{Tenant: r.Tenant, Principal: r.Principal, Scopes: r.Durable.Scopes}
}

// storedOrigin returns the origin of a task in the store. With an error, which means that the data of the client cannot be
// read, it has no handshake.
func storedOrigin(c *core, r *task.Record) (*origin, error) {
	o := &origin{core: c, parents: parents{ctx: context.Background()}, peer: nobody{}}
	if r.Durable.Client == nil { // of a modern client
		return o, nil
	}
	var client keptClient
	if err := json.Unmarshal(r.Durable.Client, &client); err != nil {
		return o, err
	}
	o.hello.Store(&handshake{version: wire.ParseVersion(r.Revision), client: client.Info, capabilities: client.Capabilities})
	return o, nil
}

// beginStored begins the operation of another run of a task.
func beginStored(from *origin, r *task.Record) *observation {
	op := &observation{from: from, access: storedAccess(r), Operation: observe.Operation{
		Kind: observe.KindTask, Method: methodToolsCall, Target: r.Tool, TargetKind: observe.TargetKindTool, ProtocolVersion: r.Revision,
		Tenant: r.Tenant, Principal: r.Principal, Meta: r.Durable.Meta, Bytes: len(r.Durable.Arguments),
	}}
	return op.begin(from.ctx)
}
