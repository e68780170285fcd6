package process

import "time"

// A Usage is what a process and its descendants have cost.
type Usage struct {
	// CPU is the processor time, of user and system, of all threads: of the processes that run,
	// and of those that have ended and were waited for.
	CPU time.Duration
	// Resident is how much memory they have resident now, in bytes, shared pages counted once for
	// each of them.
	Resident int64
	// Peak is the sum of the most that each of those that run has had resident, in bytes.
	Peak int64
	// Processes is how many run: 1, if the process has started none.
	Processes int
}
