package taskengine

import (
	"log/slog"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/task"
)

// StoreTime is how long each method of the store may take, except Wait and Claim, and how long the server tries to
// store the end of a task before the task fails.
const StoreTime = 10 * time.Second

// HasUnanswered reports whether one of the requests in a record has no answer.
func HasUnanswered(r *task.Record) bool {
	return slices.ContainsFunc(r.Inputs, func(in task.Input) bool { return in.Answer == nil })
}

// OwnerAttr returns the attributes of log records about an owner. It leaves out an empty tenant.
func OwnerAttr(o task.Owner) slog.Attr {
	principal := slog.String("principal", o.Principal)
	if o.Tenant == "" {
		return principal
	}
	return slog.Group("", slog.String("tenant", o.Tenant), principal) // a group without a name is inlined
}
