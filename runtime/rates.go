package runtime

import (
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/mcptool"
)

// rateKey identifies the calls that a rate limit counts together: the calls of a caller, except that each session of
// a trusted peer is counted separately.
type rateKey struct {
	admission.Caller
	session uint64 // of a trusted peer; peers without one share a key
}

// callRates are the rate limits over all tools, prompts, resources and custom methods.
type callRates struct {
	caller *admission.RateLimiter[rateKey] // nil: no limit
	all    *admission.RateLimiter[struct{}]

	// The rates of these limits, for errors.
	perCaller, total mcptool.Rate
}

// newCallRates returns the rate limits over everything on a server with these limits.
func newCallRates(l *limits) callRates {
	rates := callRates{perCaller: l.PerCaller.Rate, total: l.Rate}
	if r := rates.perCaller; r.Calls > 0 && !l.IgnoreRates {
		rates.caller = admission.NewRateLimiter[rateKey](r.Calls, r.Per, r.Burst)
	}
	if r := rates.total; r.Calls > 0 && !l.IgnoreRates {
		rates.all = admission.NewRateLimiter[struct{}](r.Calls, r.Per, r.Burst)
	}
	return rates
}

// exceeded counts a call, and returns which limit it exceeds, for its client; "" if none. The limit for all callers is the
// last one, so that the refused calls of one caller do not count for the others.
func (r *callRates) exceeded(key rateKey) string {
	if r.caller != nil {
		if wait := r.caller.Take(key, time.Now()); wait > 0 {
			return fmt.Sprintf("too many calls: one caller may call this server %s; call again in %s", frequency(r.perCaller), inSeconds(wait))
		}
	}
	if r.all != nil {
		if wait := r.all.Take(struct{}{}, time.Now()); wait > 0 {
			return fmt.Sprintf("too many calls: all callers together may call this server %s; call again in %s", frequency(r.total), inSeconds(wait))
		}
	}
	return ""
}

// inSeconds rounds a time to wait up to seconds.
func inSeconds(wait time.Duration) time.Duration {
	return max((wait + time.Second - 1).Truncate(time.Second), time.Second)
}

// frequency returns a rate in words.
func frequency(r mcptool.Rate) string {
	per, ok := map[time.Duration]string{time.Second: "second", time.Minute: "minute", time.Hour: "hour"}[r.Per]
	if !ok {
		per = r.Per.String()
	}
	if r.Calls == 1 {
		return "once per " + per
	}
	return fmt.Sprintf("%d times per %s", r.Calls, per)
}
