package runtime

import (
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
)

// toolLimits are the limits of one tool, with their current use.
type toolLimits struct {
	rate    *admission.RateLimiter[rateKey] // calls of each caller; nil: no limit
	running *admission.Semaphore            // calls that run at once; nil: no limit
	timeout *private.TimeoutError           // ends a call that runs too long; nil: no limit
}

// newToolLimits returns the limits of the tool on a server with these limits; nil if it has none. Support is whether its
// calls run as tasks there.
func newToolLimits(t *mcptool.Tool, support mcptool.TaskSupport, l *limits) *toolLimits {
	s := internals.Settings(t)
	timeout, isRated := s.Timeout, s.Rate != mcptool.Rate{} && !l.IgnoreRates
	if timeout == 0 && support == mcptool.TaskSupportForbidden {
		timeout = l.CallTimeout // tasks have a TTL instead
	}
	if timeout == 0 && !isRated && s.Concurrent == 0 {
		return nil
	}
	made := new(toolLimits)
	if timeout > 0 {
		made.timeout = &private.TimeoutError{Tool: s.Name, Limit: timeout}
	}
	if isRated {
		made.rate = admission.NewRateLimiter[rateKey](s.Rate.Calls, s.Rate.Per, s.Rate.Burst)
	}
	if n := s.Concurrent; n > 0 {
		made.running = admission.NewQueuedSemaphore(n, l.MaxWaitingCalls, quarter(l.MaxWaitingCalls))
	}
	return made
}

// limitUse is the share of a call in the limits of its tool. While requests to the client are open, its clock is stopped, and
// it does not hold the semaphore. A nil limitUse does nothing.
type limitUse struct {
	limits *toolLimits

	acquiring sync.Mutex // held while the semaphore is acquired, which may take long

	mu       sync.Mutex
	open     int  // requests to the client
	admitted bool // the semaphore was acquired once
	holds    bool // the semaphore
	ended    bool // the tool has returned
}
