package process

import "time"

// A Usage is the resource usage of a process and its descendants.
type Usage struct {
	// CPU is the user and system CPU time of all threads, of running processes and of reaped ones.
	CPU time.Duration
	// Resident is the current resident set size in bytes, with shared pages counted once per process.
	Resident int64
	// Peak is the sum of the peak resident set sizes of the running processes, in bytes.
	Peak int64
	// Processes is the number of running processes: 1 without descendants.
	Processes int
}
