package task

// Status is the status of a task, as in the protocol.
type Status string

// The statuses. A new task is Working.
const (
	Working       Status = "working"
	InputRequired Status = "input_required" // the task waits for answers from the client
	Completed     Status = "completed"
	Failed        Status = "failed"
	Cancelled     Status = "cancelled"
)

// Ended reports whether the status is Completed, Failed or Cancelled. A task with such a status never changes again.
func (s Status) Ended() bool { return s == Completed || s == Failed || s == Cancelled }

// known reports whether s is one of the statuses.
func (s Status) known() bool { return s == Working || s == InputRequired || s.Ended() }
