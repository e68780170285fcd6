package task

// Status is the status of a task.
type Status string

// The statuses. A task begins as Working.
const (
	Working       Status = "working"
	InputRequired Status = "input_required" // it waits for answers of the client
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Ended reports whether a task with this status never changes again.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// known reports whether s is one of the statuses.
func (s Status) known() bool { return s == Working || s == InputRequired || s.Ended() }
