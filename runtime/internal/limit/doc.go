// Package limit holds the limits that calls share, and knows nothing of calls: a [Semaphore] for those of one tool, a
// [CallerSemaphore] and [Shares] of which no caller may take all, a [RateLimiter] and a [TokenBucket]. What they count, and
// what a caller is told when a limit is reached, is decided by package runtime.
package limit
