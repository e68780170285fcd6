package jwtauth

import (
	"log/slog"
	"sync"
	"time"
)

// outageInterval is the minimum time between two outages in the log. Tokens that are made up can cause requests to the
// issuer, and it may answer some of them and fail with others.
const outageInterval = time.Minute

// outage logs the beginning and the end of a time in which the issuer cannot be used. Failures during it are logged at
// level debug.
type outage struct {
	log *slog.Logger

	mu      sync.Mutex
	running bool      // its beginning was logged
	began   time.Time // of the latest one; zero: there was none
}

// report reports the result of a request to the issuer, with attributes for the log.
func (o *outage) report(err error, attrs ...any) {
	o.mu.Lock()
	wasRunning, after := o.running, time.Since(o.began)
	begins := err != nil && !wasRunning && after >= outageInterval
	if begins {
		o.began = time.Now()
	}
	o.running = err != nil && (wasRunning || begins)
	o.mu.Unlock() // other callers must not wait for the handler of the logger
	switch attrs = append([]any{"error", err}, attrs...); {
	case begins:
		o.log.Warn("jwtauth: the issuer cannot be used", attrs...)
	case err != nil:
		o.log.Debug("jwtauth: the issuer still cannot be used", attrs...)
	case wasRunning:
		o.log.Info("jwtauth: the issuer can be used again", "after", after)
	}
}
