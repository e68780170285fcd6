// Package admission has the limits that calls pass: a [Semaphore], for what may run at once; a [Share], for what may be held
// at once; and a [RateLimiter]. No [Caller] can use up a Semaphore or a Share alone. Package runtime decides what is
// counted and how clients are answered when a limit is reached.
package admission
