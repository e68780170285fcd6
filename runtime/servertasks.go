package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/taskengine"
)

// TaskProvider gives a server its tasks, see [Server.Tasks]. New of package runtime/tasks returns the only implementation. It is
// in another package so that a server without tasks does not link the code that runs them.
type TaskProvider interface {
	// Engine is for this package; programs cannot call it.
	Engine(key private.Key, config taskengine.Config) taskengine.Engine
}

// lacksTasks returns an error that lists each tool that runs only as a task, if the server has no tasks.
func (c *core) lacksTasks() error {
	if c.tasks != nil {
		return nil
	}
	var mistakes []error
	for t := range c.tools.Tools() {
		if own := internals.Settings(t); own.Task == mcptool.TaskSupportRequired {
			mistakes = append(mistakes, fmt.Errorf("the tool %q runs only as a task, and Server.Tasks is nil; set it to New of package runtime/tasks, or let the tool also run without a task, with task=optional", own.Name))
		}
	}
	return errors.Join(mistakes...)
}

// taskConfig returns the configuration of the tasks of a server.
func taskConfig(c *core) taskengine.Config {
	return taskengine.Config{
		Log: c.log, MaxRunning: c.limits.Tasks.MaxRunning, MaxRunningPerCaller: c.limits.Tasks.MaxRunningPerCaller,
		MaxJournal: c.limits.MaxResultBytes, Grace: c.limits.CloseGrace,
		OnWait: func() { c.notices.Subscribe() }, // notices are made later
	}
}
