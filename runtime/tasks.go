package runtime

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// TaskProvider gives a server its tasks, see [Server.Tasks]. New of package runtime/tasks returns the only implementation. It is
// in another package so that a server without tasks does not link the code that runs them.
type TaskProvider interface {
	// Engine is for this package; programs cannot call it.
	Engine(key private.Key, config taskengine.Config) taskengine.Engine
}

// taskServer is a server as tasks see it. It implements [taskengine.Server].
type taskServer struct {
	*core

	lists *lists
}

// config returns the configuration of the tasks.
func (s taskServer) config() taskengine.Config {
	l := &s.limits.Tasks
	return taskengine.Config{
		Log:        s.log,
		Lookup:     s.lookup,
		OnWait:     func() { s.notices.Subscribe() }, // notices are made later
		Changed:    func(id string) { s.notices.TaskChanged(id) },
		MaxRunning: l.MaxRunning, MaxRunningPerCaller: l.MaxRunningPerCaller,
		MaxJournal: s.limits.MaxResultBytes, MaxAttempts: l.MaxAttempts, MaxText: s.limits.MaxTextBytes, PageSize: s.limits.ToolsPerPage,
		Grace: s.limits.CloseGrace, Delay: l.Delay, PollInterval: l.PollInterval, DefaultTTL: l.DefaultTTL, MaxTTL: l.MaxTTL,
	}
}

// lookup returns the tool with this name, if the server selects it.
func (s taskServer) lookup(name string) (*mcptool.Tool, bool) {
	t, ok := s.tools.Lookup(name)
	return t, ok && s.selecting.selects(nil, t)
}

// lacksTasks returns an error that lists each tool that runs only as a task, if the server has no tasks.
func lacksTasks(c *core) error {
	if c.tasks != nil {
		return nil
	}
	var mistakes []error
	for t := range c.tools.Tools() {
		if own := internals.Settings(t); own.Task == mcptool.TaskSupportRequired && c.selecting.selects(nil, t) {
			mistakes = append(mistakes, fmt.Errorf("the tool %q runs only as a task, and Server.Tasks is nil; set it to New of package runtime/tasks, or let the tool also run without a task, with task=optional", own.Name))
		}
	}
	return errors.Join(mistakes...)
}

// prepare makes the call one that is or may become a task, if it should.
func (s taskServer) prepare(r *request, c *call) *wireError {
	support, wish := c.target.support, r.params.Task
	switch {
	case r.version.Has(wire.PerRequest): // the server decides
		switch {
		case support == private.TaskForbidden:
		case r.declares(tasksExtension):
			return asTask(c, support == mcptool.TaskSupportRequired, nil)
		case support == mcptool.TaskSupportRequired:
			return r.requireExtension(tasksExtension)
		}
		return nil
	case !r.version.Has(wire.CoreTasks), r.lacksSession():
		return nil
	case wish == nil && support == mcptool.TaskSupportRequired:
		return wrongTaskSupport(c.target.tool, "runs as a task; send params.task")
	case wish == nil, !s.lists.offersTasks(r.version):
		return nil // a server without tasks ignores params.task
	case support == private.TaskForbidden:
		return wrongTaskSupport(c.target.tool, "does not run as a task; leave out params.task")
	}
	return asTask(c, true, wish)
}

// asTask makes the call one that is, or may become, a task. Its context does not derive from the request. The runner ends
// it with the request until the call is a task: see FollowRequest of [taskengine.Call].
func asTask(c *call, atOnce bool, wish []byte) *wireError {
	runner, err := c.from.tasks.NewRunner(taskCall{c}, atOnce, wish)
	if err != nil {
		return taskRefusal(c.from, err)
	}
	c.Own()
	x := c.needExtras()
	x.runner, x.parents = runner, &parents{ctx: context.WithoutCancel(c.from.ctx)}
	return nil
}
