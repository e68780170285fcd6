// Package limit implements the limits that calls share: a [Semaphore] for the calls of one tool; a [CallerSemaphore]
// and [Shares], which no caller can use up alone; a [RateLimiter]; and a [TokenBucket]. It does not depend on calls:
// package runtime decides what is counted and how clients are answered when a limit is reached.
package limit
