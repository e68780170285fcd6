package runtime

import (
	"fmt"
	"time"
	"weak"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// rateKey identifies the calls that a rate limit counts together: the calls of a caller, except that each session of
// a trusted peer is counted separately.
type rateKey struct {
	admission.Caller
	origin weak.Pointer[origin] // the connection of a trusted peer; peers without one share a key
}

// rateKey returns the key for a request with this access.
func (o *origin) rateKey(access *Access) rateKey {
	key := rateKey{Caller: access.caller()}
	if access == nil {
		key.origin = o.self
	}
	return key
}

// callRates are the rate limits over all tools, prompts, resources and custom methods; each may be nil.
type callRates struct {
	caller *admission.RateLimiter[rateKey]
	all    *admission.RateLimiter[struct{}]
}

// newCallRates returns the rate limits over everything on a server with these limits.
func newCallRates(l *limits) (rates callRates) {
	if r := l.PerCaller.Rate; r.Calls > 0 && !l.IgnoreRates {
		rates.caller = admission.NewRateLimiter[rateKey](r.Calls, r.Per, r.Burst)
	}
	if r := l.Rate; r.Calls > 0 && !l.IgnoreRates {
		rates.all = admission.NewRateLimiter[struct{}](r.Calls, r.Per, r.Burst)
	}
	return rates
}

// limitRates refuses a call that exceeds a rate limit: first the limit of its tool, and last the limit for all callers, so
// that the refused calls of one caller do not count for the others.
func (r *request) limitRates() *wireError {
	target, from := r.target, r.from
	if target.limits != nil && target.limits.rate != nil {
		if err := target.limit(from, r.access); err != nil {
			return err
		}
	}
	if rate := from.rates.caller; rate != nil {
		if wait := rate.Take(from.rateKey(r.access), time.Now()); wait > 0 {
			return target.refusal(fmt.Sprintf("too many calls: one caller may call this server %s; call again in %s",
				frequency(from.limits.PerCaller.Rate), inSeconds(wait)), observe.OutcomeRateLimited)
		}
	}
	if rate := from.rates.all; rate != nil {
		if wait := rate.Take(struct{}{}, time.Now()); wait > 0 {
			return target.refusal(fmt.Sprintf("too many calls: all callers together may call this server %s; call again in %s",
				frequency(from.limits.Rate), inSeconds(wait)), observe.OutcomeRateLimited)
		}
	}
	return nil
}

// limit refuses a call from o that exceeds the rate limit of its tool. The error contains the time after which to call
// again. The tool must have a rate limit.
func (s *toolState) limit(o *origin, access *Access) *wireError {
	wait := s.limits.rate.Take(o.rateKey(access), time.Now())
	if wait <= 0 {
		return nil
	}
	wait = inSeconds(wait)
	rate := frequency(internals.Settings(s.tool).Rate)
	text := fmt.Sprintf("too many requests: the %s may be requested %s by one caller; request it again in %s", s.noun(), rate, wait)
	if s.isTool() {
		text = fmt.Sprintf("too many calls: the tool may be called %s by one caller; call it again in %s", rate, wait)
	}
	return s.refusal(text, observe.OutcomeRateLimited)
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
