package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
	"github.com/mcptool-go/mcptool/task"
)

// isDurable reports whether the call, if it is or becomes a task, can be run again.
func (t *taskRun) isDurable() bool {
	return t.call.from.tasks.HasQueue() && internals.Settings(t.call.tool).Durable
}

// durable returns the data to run the call again, with the log so far; nil if the call is not durable.
func (t *taskRun) durable(known replay.Log) (*task.Durable, error) {
	c := t.call
	if !t.isDurable() {
		if internals.Settings(c.tool).Durable {
			c.from.tasks.WarnNoQueue(c, c.attr())
		}
		return nil, nil //nolint:nilnil // not durable
	}
	d := &task.Durable{Arguments: bytes.Clone(c.args), Meta: bytes.Clone(c.meta), Trusted: c.access == nil}
	if c.access != nil {
		d.Scopes = c.access.Scopes
	}
	if h := c.from.hello.Load(); h != nil {
		var err error
		if d.Client, err = json.Marshal(keptClient{h.client, h.capabilities}); err != nil {
			return nil, err
		}
	}
	var err error
	d.Journal, err = c.from.tasks.Journal(known)
	return d, err
}

// keeper implements [runner].
func (t *taskRun) keeper() func(context.Context, replay.Log) error {
	if !t.isDurable() {
		return nil
	}
	return t.keep
}

// keep stores the log of the run in the record of the task, if there is a record. It is for [replay.Run.StoreWith].
func (t *taskRun) keep(_ context.Context, log replay.Log) error {
	if run := t.begun(); run != nil {
		return run.StoreLog(log)
	}
	return nil // promote will store it
}

// rerunner runs durable tasks again. It implements [taskengine.Server].
type rerunner struct {
	*core
	lists *lists
}

// Rerun implements [taskengine.Server].
func (s rerunner) Rerun(run taskengine.Run) (_ taskengine.Call, why string, lacksTool bool) {
	r := run.Record()
	tool, ok := s.tools.Lookup(r.Tool)
	switch {
	case !ok:
		return nil, "the tool no longer exists", true
	case !internals.Settings(tool).Durable:
		return nil, "the tool is no longer durable", true
	}
	call, why := s.rerun(run, tool)
	return call, why, false
}

// rerun returns another run of a task of the tool, or why there cannot be one.
func (s rerunner) rerun(run taskengine.Run, tool *mcptool.Tool) (_ taskengine.Call, why string) {
	r := run.Record()
	d := r.Durable
	if d.Attempts > s.limits.Tasks.MaxAttempts {
		return nil, fmt.Sprintf("the task was started %d times, and each time its process ended or lost the store before the task was done", d.Attempts-1)
	}
	version := wire.ParseVersion(r.Revision)
	if version == wire.NoVersion {
		return nil, "this server does not support the revision " + r.Revision
	}
	access := storedAccess(r)
	if !access.allows(tool) {
		return nil, "the tool now needs scopes that the caller did not have"
	}
	var known replay.Log
	if d.Journal != nil {
		var err error
		if known, err = replay.ReadLog(d.Journal); err != nil {
			return nil, "the values kept by earlier runs cannot be read: " + err.Error()
		}
	}
	hello, err := readClient(d.Client, version)
	if err != nil {
		return nil, "the stored data of the client cannot be read: " + err.Error()
	}
	from := s.stored(hello)
	call := &call{
		from: from, version: version, toolState: s.lists.catalog().state(tool), access: access, args: d.Arguments, meta: d.Meta,
	}
	again := &taskRun{
		call: call, task: run, again: true, message: r.Message, done: make(chan struct{}),
	}
	x := call.needExtras()
	x.run = again
	call.out.To(taskWriter{run: again})
	if version.Has(wire.PerRequest) {
		call.out.Close()
	}
	x.asking.Store(newMemory(call, known, nil))
	if s.observes {
		op := s.begin(from.ctx, storedOperation(from, r))
		op.call = call
		call.op.Store(op)
	}
	return again, ""
}

// storedAccess returns the access of the sender of a stored request.
func storedAccess(r *task.Record) *Access {
	if r.Durable.Trusted {
		return nil
	}
	return &Access{Tenant: r.Tenant, Principal: r.Principal, Scopes: r.Durable.Scopes}
}

// storedOperation returns the operation of another run of a task.
func storedOperation(from *origin, r *task.Record) *observation {
	return &observation{from: from, access: storedAccess(r), Operation: observe.Operation{
		Kind: observe.KindTask, Method: methodToolsCall, Target: r.Tool, TargetKind: observe.TargetKindTool, ProtocolVersion: r.Revision,
		Tenant: r.Tenant, Principal: r.Principal, Meta: r.Durable.Meta, Bytes: len(r.Durable.Arguments),
	}}
}

// readClient returns the stored handshake of the client of a task; nil if there was none.
func readClient(data []byte, version wire.Version) (*handshake, error) {
	if data == nil {
		return nil, nil //nolint:nilnil // a modern client
	}
	var client keptClient
	if err := json.Unmarshal(data, &client); err != nil {
		return nil, err
	}
	return &handshake{version: version, client: client.Info, capabilities: client.Capabilities}, nil
}

// GivenUp implements [taskengine.Server]: a task has failed because it cannot be run again.
func (s rerunner) GivenUp(r *task.Record) {
	if !s.observes {
		return
	}
	hello, _ := readClient(r.Durable.Client, wire.ParseVersion(r.Revision))
	from := s.stored(hello)
	s.begin(from.ctx, storedOperation(from, r)).end(observe.OutcomeFailed, nil, 0)
}

// stored returns the origin of a task in the store; hello is nil if its client is a modern one.
func (c *core) stored(hello *handshake) *origin {
	o := &origin{core: c, parents: parents{ctx: context.Background()}, peer: nobody{}}
	o.hello.Store(hello)
	return o
}
