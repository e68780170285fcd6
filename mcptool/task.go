package mcptool

import (
	"slices"
	"time"
)

// TaskSupport says whether calls of a tool run as tasks: a call that is answered at once with
// a handle, under which the client asks for the result later.
type TaskSupport uint8

// The ways to support tasks. Whatever a tool says, clients of a revision that has no tasks
// call it as any other tool and wait.
const (
	// TaskForbidden has every call answered when the func returns. It is the default.
	TaskForbidden TaskSupport = iota
	// TaskOptional has a call run as a task if that suits: where the client asked for it, in
	// revision 2025-11-25; where the client can handle tasks and the call is not
	// done within a moment, from 2026-07-28 on. Others wait for the result.
	TaskOptional
	// TaskRequired has every call run as a task. Clients that could use tasks and do not are
	// refused.
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

// Task says whether calls of the tool run as tasks, for what takes longer than a client
// waits. The func is written as ever. While it runs as a task, the message of the last
// [Progress] is what the client sees of it; its context outlives the request and the
// connection, and ends when the client cancels the task, when its time is up ([TaskTTL]),
// or when the server stops; [Caller] still says who called; and what asks the user, [Elicit]
// and its kin, waits for the answer in every revision. The default is [TaskForbidden]; the
// tag has task=optional and task=required.
func Task(support TaskSupport) Option {
	return option(func(d *definition) { set(d, &d.task, "the option Task", support.String()) })
}

// TaskTTL is how long a task of the tool and its result are kept, from the moment the task
// is created. A task that is not done by then is cancelled. Default and maximum are the
// server's; a client of revision 2025-11-25 may ask for another time, within the maximum.
func TaskTTL(ttl time.Duration) Option {
	return option(func(d *definition) { set(d, &d.taskTTL, "the option TaskTTL", ttl) })
}

// PollInterval is how long clients should wait before they ask again how a task of the tool is
// getting on. The default is the server's.
func PollInterval(interval time.Duration) Option {
	return option(func(d *definition) { set(d, &d.pollInterval, "the option PollInterval", interval) })
}

// TaskTerms is how calls of a tool run as tasks.
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
