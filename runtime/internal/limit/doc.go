// Package limit implements the limits that calls share: a [Semaphore] for the calls of one tool, a [CallerSemaphore] and
// [Shares] of which no caller can take all, a [RateLimiter] and a [TokenBucket]. It knows nothing of calls: package runtime
// decides what is counted, and how a client is answered when a limit is reached.
package limit
