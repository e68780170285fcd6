package runtime

import (
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TaskLimits bounds what tasks can cost. A zero or negative member means its default. How many
// ended tasks are kept is up to the store, see [task.MemoryLimits].
//
// [task.MemoryLimits]: https://pkg.go.dev/github.com/mcptool-go/mcptool/task#MemoryLimits
type TaskLimits struct {
	// Running is how many tasks of all clients run at once; default 1024. Tasks do not count
	// among [Limits.Concurrent]. A task that has ended counts until the store has taken that.
	Running int
	// PerPrincipal is how many of them one caller may have, see [CallerLimits]; default 64. Unlike other shares it
	// bounds peers that the transport trusts, too, as one caller.
	PerPrincipal int
	// TTL is how long a task and its result are kept, if neither the tool nor the
	// client says otherwise; default 1 hour, counted from the beginning of the task.
	TTL time.Duration
	// MaxTTL is the longest time to be had; default 24 hours.
	MaxTTL time.Duration
	// PollInterval is how long clients are asked to wait between two looks, if the tool does
	// not say; default 1 s. As often at most, the message of a running task is stored.
	PollInterval time.Duration
	// Delay is how long a call of a tool that may run as a task is waited for before it becomes
	// one, for clients from revision 2026-07-28 on; default 250 ms. What is done by then, or
	// has asked the user something, is answered without a task.
	Delay time.Duration
}

var defaultTaskLimits = TaskLimits{
	Running:      1024,
	PerPrincipal: 64,
	TTL:          time.Hour,
	MaxTTL:       24 * time.Hour,
	PollInterval: time.Second,
	Delay:        250 * time.Millisecond,
}

// resolved returns the limits with the defaults filled in.
func (l TaskLimits) resolved() TaskLimits {
	d := defaultTaskLimits
	return TaskLimits{
		Running:      positive(l.Running, d.Running),
		PerPrincipal: positive(l.PerPrincipal, d.PerPrincipal),
		TTL:          positive(l.TTL, d.TTL),
		MaxTTL:       positive(l.MaxTTL, d.MaxTTL),
		PollInterval: positive(l.PollInterval, d.PollInterval),
		Delay:        positive(l.Delay, d.Delay),
	}
}

// ttl returns how long a task is kept: as the client asks, if it does, or else as the tool
// says.
func (l TaskLimits) ttl(terms mcptool.TaskTerms, asked time.Duration) time.Duration {
	ttl := positive(asked, positive(terms.TTL, l.TTL))
	return min(ttl, l.MaxTTL)
}
