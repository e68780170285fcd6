package mcptool

import (
	"slices"
	"time"
)

// TaskSupport is whether calls of a tool run as tasks: a call that is answered at once with a handle, with which the
// client gets the result later.
type TaskSupport uint8

// The ways to support tasks. Whatever a tool says, clients of a revision that has no tasks
// call it as any other tool and wait.
const (
	// TaskForbidden means that every call is answered when the func returns. It is the default.
	TaskForbidden TaskSupport = iota
	// TaskOptional means that a call runs as a task if the client asked for it, in revision 2025-11-25; or if the
	// client supports tasks and the call takes longer than a short delay, from 2026-07-28 on. Other clients wait for
	// the result.
	TaskOptional
	// TaskRequired means that every call runs as a task. Clients that could use tasks and do not are refused.
	TaskRequired
)

// taskSupports are the names of the ways, as tags and clients write them.
var taskSupports = [...]string{TaskForbidden: "forbidden", TaskOptional: "optional", TaskRequired: "required"}

// String returns the name that clients are told: "forbidden", "optional" or "required".
func (s TaskSupport) String() string {
	if int(s) >= len(taskSupports) {
		return "TaskSupport(?)"
	}
	return taskSupports[s]
}

// Task sets whether calls of the tool run as tasks: for tools that take longer than a client waits. The func needs no
// change. While it runs as a task, the client sees the message of the last [Progress]; its context outlives the
// request and the connection, and ends when the client cancels the task, when its TTL has passed ([TaskTTL]), or when
// the server stops; [Caller] still describes the caller; and client requests, [Elicit] and the like, wait for the
// answer in every revision. The default is [TaskForbidden]; in the tag it is task=optional or task=required.
func Task(support TaskSupport) Option {
	return option(func(d *definition) { set(d, &d.task, "the option Task", support.String()) })
}

// TaskTTL sets how long a task of the tool and its result are kept, counted from the creation of the task. A task
// that is still running then is cancelled. Default and maximum are the server's; a client of revision 2025-11-25 may
// ask for another TTL, within the maximum.
func TaskTTL(ttl time.Duration) Option {
	return option(func(d *definition) { set(d, &d.taskTTL, "the option TaskTTL", ttl) })
}

// PollInterval sets how long clients should wait between polls of a task of the tool. The default is the server's.
func PollInterval(interval time.Duration) Option {
	return option(func(d *definition) { set(d, &d.pollInterval, "the option PollInterval", interval) })
}

// TaskTerms is the configuration of a tool for tasks.
type TaskTerms struct {
	Support      TaskSupport
	TTL          time.Duration // 0 is the server's default
	PollInterval time.Duration // likewise
}

// Task returns how calls of the tool run as tasks.
func (t *Tool) Task() TaskTerms { return t.task }

// taskTerms returns what was said of tasks.
func (d *definition) taskTerms() TaskTerms {
	terms := TaskTerms{TTL: d.taskTTL.value, PollInterval: d.pollInterval.value}
	for support, name := range taskSupports {
		if name == d.task.value {
			terms.Support = TaskSupport(support)
		}
	}
	return terms
}

// checkTask looks for what no task could be.
func (d *definition) checkTask() {
	if d.task.isSet() && !slices.Contains(taskSupports[:], d.task.value) {
		d.mistake(d.task.source+" says "+brief(d.task.value), "say optional, required or forbidden")
	}
	isTask := d.task.value != "" && d.task.value != "forbidden"
	for _, s := range []*setting[time.Duration]{&d.taskTTL, &d.pollInterval} {
		switch {
		case !s.isSet():
		case !isTask:
			d.mistake(s.source+" is about tasks, and the tool has none", "pass Task(TaskOptional)")
		case s.value < time.Millisecond:
			d.mistake(s.source+" is "+s.value.String(), "pass a millisecond or more")
		}
	}
}
