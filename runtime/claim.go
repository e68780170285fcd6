package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// claims is the state of claiming durable tasks that no process runs. Claiming continues while there is a session or an
// endpoint. tasks.mu guards it.
type claims struct {
	users int // number of sessions and endpoints
	stop  context.CancelFunc
	ended chan struct{} // closed when the goroutine has ended; nil if there was none
}

// claimWhile makes the server claim durable tasks of processes that have died, until ctx ends. Without a queue it does
// nothing.
func (c *core) claimWhile(ctx context.Context) {
	ts := c.tasks
	if ts.queue == nil {
		return
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.claims.users++; ts.claims.users == 1 && ts.shutting.Err() == nil {
		claiming, stop := context.WithCancel(context.WithoutCancel(ctx))
		ts.claims.stop, ts.claims.ended = stop, make(chan struct{})
		go c.claimAll(claiming, ts.claims.ended)
	}
	context.AfterFunc(ctx, func() {
		ts.mu.Lock()
		defer ts.mu.Unlock()
		if ts.claims.users--; ts.claims.users == 0 && ts.claims.stop != nil {
			ts.claims.stop()
		}
	})
}

// endClaiming stops claiming, and waits until that has ended, for at most grace: a claimed task may be handed back.
func (ts *tasks) endClaiming(grace time.Duration) {
	ts.mu.Lock()
	stop, ended := ts.claims.stop, ts.claims.ended
	ts.mu.Unlock()
	if stop != nil {
		stop()
		wait(ended, grace)
	}
}

// claimAll claims tasks and runs them, until ctx ends.
func (c *core) claimAll(ctx context.Context, ended chan<- struct{}) {
	defer close(ended)
	ts := c.tasks
	failing := false
	for pause := firstPause; ; {
		for !ts.hasRoom() {
			if !sleep(ctx, time.Second) {
				return
			}
		}
		r, err := ts.queue.Claim(ctx, ts.owner)
		switch {
		case err == nil && ctx.Err() == nil && c.runAgain(ctx, &r):
			pause, failing = firstPause, false
			continue
		case ctx.Err() != nil:
			if err == nil { // claimed just before the end of ctx
				c.handBack(ctx, &r, stopping)
			}
			return
		case err != nil && !failing:
			failing = true
			c.log.LogAttrs(ctx, slog.LevelError, "tasks cannot be claimed", slog.Any("error", err))
		}
		if !sleep(ctx, pause) {
			return
		}
		pause = min(2*pause, longestPause)
	}
}

// hasRoom reports whether another task may run.
func (ts *tasks) hasRoom() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return len(ts.running) < ts.limits.MaxRunning
}

// stopping is the reason for releasing a task in a regular shutdown.
const stopping = "the server stopped before the task was done"

// runAgain runs a claimed task from the top. It reports false if the task is left to other servers. Claim may have
// taken any time, so the lease is renewed first to know when it expires.
//
//nolint:contextcheck // the run outlives the claiming
func (c *core) runAgain(ctx context.Context, r *task.Record) bool {
	defer contain.Panic(ctx, c.log, "task not run again")
	l := lease{queue: c.tasks.queue, id: r.ID, epoch: r.Durable.Epoch, until: time.Now().Add(c.tasks.queue.LeaseTime())}
	if err := l.renew(context.WithoutCancel(ctx), 0); err != nil {
		c.handBack(ctx, r, "its lease could not be renewed")
		return false
	}
	if _, why := c.durableTool(r); why != "" && c.waitForTool(ctx, r, why) {
		return true
	}
	run, why := c.rebuild(r)
	if why != "" {
		c.giveUp(ctx, r, why)
		return true
	}
	if err := c.tasks.enterAgain(run); err != nil {
		if errors.Is(err, errTasksShut) {
			c.handBack(ctx, r, stopping)
		}
		return false
	}
	run.setID(r.ID)
	run.log("task goes on", r)
	go run.watch()
	go run.renewLease(l)
	run.begin()
	return true
}

// handBack releases a claimed task that is not run here.
func (c *core) handBack(ctx context.Context, r *task.Record, why string) {
	err := c.tasks.queue.Release(context.WithoutCancel(ctx), r.ID, epochOf(r), why)
	if err != nil && !hasMoved(err) {
		c.log.LogAttrs(ctx, slog.LevelWarn, "claimed task is left to others until its lease has run out", slog.String("tool", r.Tool), slog.Any("error", err))
	}
}

// giveUp ends a task that cannot be run again.
func (c *core) giveUp(ctx context.Context, r *task.Record, why string) {
	end := *r
	end.Status, end.Message, end.Error, end.Result = task.Failed, why, internalError(why).Append(nil), nil
	if _, err := c.tasks.store.endTask(ctx, &end); err != nil {
		c.log.LogAttrs(ctx, slog.LevelError, "end of a task cannot be stored", slog.String("tool", r.Tool), slog.Any("error", err))
	} else {
		c.auditGivenUp(&end)
	}
	c.log.LogAttrs(ctx, slog.LevelError, "task cannot be run again", slog.String("tool", r.Tool), slog.String("principal", r.Principal),
		slog.Uint64("run", r.Durable.Epoch), slog.String("reason", why))
}

// auditGivenUp writes the audit record of a task that has failed because it cannot be run again.
func (c *core) auditGivenUp(r *task.Record) {
	version, d := wire.ParseVersion(r.Revision), r.Durable
	hello, _ := readClient(d.Client, version)
	from := c.stored(hello)
	if !from.isAudited() {
		return
	}
	c.audit(from.ctx, &auditRecord{
		row: toolsCall, what: slog.String(toolSubject.noun(), r.Tool), access: &Access{Principal: r.Principal},
		client: from.client(version, d.Meta), version: version, at: time.Now(), outcome: outcomeFailed,
		in: len(d.Arguments), sent: len(r.Error), trace: traceID(d.Meta),
	})
}

// rebuild returns the run of the call in a record, or why it cannot be run.
func (c *core) rebuild(r *task.Record) (run *taskRun, why string) {
	d := r.Durable
	if d.Attempts > c.limits.Tasks.MaxAttempts {
		return nil, fmt.Sprintf("the task was begun %d times, and each time its process ended, or was cut off from the store, before it did", d.Attempts-1)
	}
	version := wire.ParseVersion(r.Revision)
	if version == wire.NoVersion {
		return nil, "this server does not know the revision " + r.Revision
	}
	tool, why := c.durableTool(r)
	if why != "" {
		return nil, why
	}
	access := &Access{Principal: r.Principal, Scopes: d.Scopes}
	if d.Trusted {
		access = nil
	}
	if !access.Allows(tool) {
		return nil, "the tool needs other scopes by now than the caller had"
	}
	var known replay.Log
	if d.Journal != nil {
		var err error
		if known, err = replay.ReadLog(d.Journal); err != nil {
			return nil, "what earlier runs have kept cannot be read: " + err.Error()
		}
	}
	hello, err := readClient(d.Client, version)
	if err != nil {
		return nil, "what is known of the client cannot be read: " + err.Error()
	}
	return c.rerun(r, c.catalog().state(tool), access, version, hello, known), ""
}

// durableTool returns the tool of a task, or why this server cannot run it.
func (c *core) durableTool(r *task.Record) (tool *mcptool.Tool, why string) {
	tool, ok := c.tools.Lookup(r.Tool)
	if !ok {
		return nil, "the tool is not there any more"
	}
	if !tool.Task().Durable {
		return nil, "tasks of the tool are not run again any more"
	}
	return tool, ""
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

// rerun returns another run of a task.
func (c *core) rerun(r *task.Record, tool *toolState, access *Access, version wire.Version, hello *handshake, known replay.Log) *taskRun {
	from := c.stored(hello)
	call := &call{
		exchange:  exchange{from: from, version: version, over: version.Has(wire.PerRequest)},
		toolState: tool, access: access, args: r.Durable.Arguments, meta: r.Durable.Meta,
	}
	run := &taskRun{
		call: call, tasks: c.tasks, atOnce: true, again: true, ttl: r.TTL, created: *r, message: r.Message, stored: r.Message,
		release: func() bool { return true }, done: make(chan struct{}), concluded: make(chan struct{}),
	}
	x := call.needExtras()
	call.to, x.run = taskStream{run}, run
	x.asking.Store(newMemory(call, known, nil))
	if from.isAudited() {
		call.audited.Store(int64(now()))
	}
	return run
}
