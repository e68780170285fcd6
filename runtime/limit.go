package runtime

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/mcptool"
)

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
				frequency(from.limits.PerCaller.Rate), inSeconds(wait)), outcomeLimited)
		}
	}
	if rate := from.rates.all; rate != nil {
		if wait := rate.Take(struct{}{}, time.Now()); wait > 0 {
			return target.refusal(fmt.Sprintf("too many calls: all callers together may call this server %s; call again in %s",
				frequency(from.limits.Rate), inSeconds(wait)), outcomeLimited)
		}
	}
	return nil
}

// inSeconds rounds a time to wait up to seconds.
func inSeconds(wait time.Duration) time.Duration {
	return max((wait + time.Second - 1).Truncate(time.Second), time.Second)
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
	return s.refusal(text, outcomeLimited)
}

// refusal returns the error that refuses to run the tool, prompt or resource now: for a tool a result for the model,
// which can call again, and otherwise a protocol error.
func (s *toolState) refusal(text string, how outcome) *wireError {
	if s.isTool() {
		return toModel(text, how)
	}
	e := internalError(text)
	e.outcome = how
	return e
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

// enter counts a call, and makes it hold the memory that its transport has reserved. The error is the error of
// [admission.Share.Take].
func (l inFlightLimit) enter(c *call, memory *engine.Reservation) error {
	if err := l.Take(c.access.caller(), 1, admission.Within); err != nil {
		return err
	}
	if memory != nil && memory.Hold() {
		c.needExtras().reserved = memory
	}
	return nil
}

// leave stops counting a call.
func (l inFlightLimit) leave(c *call) {
	l.Give(c.access.caller(), 1)
	x := c.extras()
	if x.reserved != nil {
		x.reserved.Release()
	}
	if x.contents.Load() > 0 {
		c.release()
	}
}

// await counts n requests of a caller that wait for tasks or for the task store. They count until Give.
func (l inFlightLimit) await(who admission.Caller, n int) *wireError {
	if err := l.Take(who, n, admission.Within); err != nil {
		return internalError(l.words(err))
	}
	return nil
}

// words returns the text for an error of enter.
func (l inFlightLimit) words(err error) string {
	total, each := l.Limits()
	if errors.Is(err, admission.ErrShare) {
		return fmt.Sprintf("too many calls of this caller are in flight: at most %d at once; call again when one has ended", each)
	}
	return fmt.Sprintf("the server is busy: at most %d calls are in flight at once; call again later", total)
}

// enter waits for one of the slots for long work, for work on a text of this size from a caller with this access: from
// 16 KiB on, except for trusted peers. The error is the error of ctx if that ends first. Leave gives the slot back, and
// may be called more than once.
func (c *core) enter(ctx context.Context, a *Access, size int) (leave func(), err error) {
	if size < callctx.Long || a == nil {
		return func() {}, nil
	}
	if err := c.slots.Acquire(ctx, a.caller(), 0); err != nil {
		return func() {}, err
	}
	return sync.OnceFunc(c.slots.Release), nil
}

// enterSlot is like enter, for work on a message from o. The error answers the message.
func (o *origin) enterSlot(a *Access, size int) (leave func(), _ *wireError) {
	leave, err := o.enter(o.ctx, a, size)
	if err != nil {
		return leave, internalError("the connection or the server has ended")
	}
	return leave, nil
}

// enterResponse waits for a slot in which the response of the call is made, if it is long: if size, or the expected
// size, is. The call keeps the slot until leaveResponse. Both are for the goroutine that makes the response.
func enterResponse(c *call, size int) error {
	if size < callctx.Long && c.toolState.size.expected() < callctx.Long {
		return nil
	}
	return (*callServer)(c).EnterResponse()
}

// makeRoom is enterResponse, with an error if a result of this size is too large.
func makeRoom(c *call, size int) error {
	if size > c.from.limits.MaxResultBytes {
		return tooLarge(c, largeError{size: size, more: true})
	}
	return enterResponse(c, size)
}

// leaveResponse gives back the slot in which the response was made, if the call has one.
func leaveResponse(c *call) {
	if x := c.extras(); x.leave != nil {
		x.leave()
		x.leave = nil
	}
}
