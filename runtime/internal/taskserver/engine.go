package taskserver

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/replay"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/tasks"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// internals are functions of package mcptool that are not in its API.
var internals = mcptool.Internal(private.Key{})

// Engine implements [taskengine.Engine].
type Engine struct {
	*tasks.Tasks

	config taskengine.Config
}

// New returns the engine of the tasks in a store; nil means a store in memory.
func New(store task.Store, config taskengine.Config) *Engine {
	return &Engine{tasks.New(store, config), config}
}

// Store implements [taskengine.Engine].
func (e *Engine) Store() taskengine.Store { return e.Tasks.Store() }

// NewRunner implements [taskengine.Engine].
func (e *Engine) NewRunner(c taskengine.Call, atOnce bool, wish []byte) (taskengine.Runner, error) {
	asked, err := readWish(wish)
	if err != nil {
		return nil, err
	}
	r := &runner{engine: e, call: c, tool: c.Tool(), atOnce: atOnce, done: make(chan struct{})}
	r.ttl = min(positive(asked, internals.Settings(r.tool).TaskTTL, e.config.DefaultTTL), e.config.MaxTTL)
	return r, nil
}

// positive returns the first positive duration; the last one if there is none.
func positive(durations ...time.Duration) (d time.Duration) {
	for _, d = range durations {
		if d > 0 {
			break
		}
	}
	return d
}

// readWish reads the requested TTL in params.task; 0 if there is none.
func readWish(raw []byte) (ttl time.Duration, err error) {
	switch rawjson.KindOf(raw) {
	case rawjson.Object:
	case rawjson.Invalid:
		return 0, nil
	default:
		return 0, invalid("params.task must be an object")
	}
	wire.Members(raw, func(name string, value []byte) {
		if name != "ttl" {
			return
		}
		millis, bad := strconv.ParseFloat(string(value), 64)
		if rawjson.KindOf(value) != rawjson.Number || bad != nil || millis < 1 {
			err = invalid("params.task.ttl must be a number of milliseconds, 1 or more")
			return
		}
		const most = float64(1<<62) / float64(time.Millisecond) // beyond any limit
		ttl = time.Duration(min(millis, most)) * time.Millisecond
	})
	return ttl, err
}

// ClaimWhile implements [taskengine.Engine].
func (e *Engine) ClaimWhile(ctx context.Context, server taskengine.Server) {
	e.Tasks.ClaimWhile(ctx, rerunner{server, e})
}

// rerunner runs durable tasks again. It implements [tasks.Server].
type rerunner struct {
	taskengine.Server

	engine *Engine
}

// Rerun implements [tasks.Server].
func (s rerunner) Rerun(stored *tasks.Run) (_ tasks.Call, why string, lacksTool bool) {
	r := stored.Record()
	tool, ok := s.engine.config.Lookup(r.Tool)
	switch {
	case !ok:
		return nil, "the tool no longer exists", true
	case !internals.Settings(tool).Durable:
		return nil, "the tool is no longer durable", true
	}
	if d := r.Durable; d.Attempts > s.engine.config.MaxAttempts {
		return nil, fmt.Sprintf("the task was started %d times, and each time its process ended or lost the store before the task was done", d.Attempts-1), false
	}
	version := wire.ParseVersion(r.Revision)
	if version == wire.NoVersion {
		return nil, "this server does not support the revision " + r.Revision, false
	}
	var known replay.Log
	if journal := r.Durable.Journal; journal != nil {
		var err error
		if known, err = replay.ReadLog(journal); err != nil {
			return nil, "the values kept by earlier runs cannot be read: " + err.Error(), false
		}
	}
	again := &runner{engine: s.engine, tool: tool, task: stored, again: true, message: r.Message, done: make(chan struct{})}
	if again.call, why = s.Restore(r, version, tool, again, writer{runner: again}, known); why != "" {
		return nil, why, false
	}
	return again, "", false
}

// durable returns the data to run the call again, with the log so far; nil if the call is not durable.
func (r *runner) durable(known replay.Log) (*task.Durable, error) {
	c := r.call
	if !r.isDurable() {
		if internals.Settings(r.tool).Durable {
			r.engine.WarnNoQueue(c, r.Attr())
		}
		return nil, nil //nolint:nilnil // not durable
	}
	d, err := c.Durable()
	if err == nil {
		d.Journal, err = r.engine.Journal(known)
	}
	return d, err
}
