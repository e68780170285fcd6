package mcptool

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
)

// Timeout sets how long one call of the tool may run; it must be above zero. When the time is up, the context of the
// call ends with [context.DeadlineExceeded], and the model gets an error with the limit. A server sends this answer at
// once, and discards the result of a func that returns later. Progress does not extend the time. Time in which the func
// waits counts, but not time before it runs, and on a server not the time until the client has answered a request ([Elicit],
// [Sample], [Roots]). In the tag it is timeout=30s or timeout=1m30s.
//
// The default is set by the server, which by default has no timeout (CallTimeout of
// [github.com/mcptool-go/mcptool/runtime.Limits]).
func Timeout(most time.Duration) Option {
	return option(func(d *definition) { set(d, &d.Timeout, "the option Timeout", most) })
}

// withTimeout returns the context for a call without a server.
func (t *Tool) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if t == nil || t.settings.Timeout <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, t.settings.Timeout, &private.TimeoutError{Tool: t.settings.Name, Limit: t.settings.Timeout})
}

// late returns the [*private.TimeoutError] if err was caused by the tool's timeout, and otherwise err.
func (t *Tool) late(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		if limit, ok := errors.AsType[*private.TimeoutError](context.Cause(ctx)); ok && limit.Tool == t.settings.Name {
			return limit
		}
	}
	return err
}

// RateLimit sets how often each caller may call the tool on one server. For a call beyond the limit the func does not
// run, and the result contains the time until the next allowed call. Calls with invalid arguments count, and so do
// retries with answers of the client ([Elicit]). In the tag it is rateLimit=10/s, or rateLimit=100/m burst=10.
//
// A caller is a principal that the transport has verified. Unauthenticated callers are identified by their addresses if
// the transport provides them, as over HTTP; otherwise they share one limit. A new connection or session is not a new
// caller. Behind a proxy, unauthenticated callers have the address of the proxy, unless the server sets another one. A
// peer that the transport trusts, as over stdio, is one caller for as long as it is connected.
//
// For a resource with [ListWith] or made by [Files], requests for the list of resources that run its func have the same
// limit, and count separately from reads.
//
// By default calls are not limited. Without a server, in [Tool.Call], the limit does not apply.
func RateLimit(rate Rate) Option {
	return option(func(d *definition) { set(d, &d.Rate, "the option RateLimit", rate.resolved()) })
}

// Rate is a number of calls per interval: Rate{Calls: 100, Per: time.Minute}. The zero value is not a valid rate.
type Rate struct {
	// Calls is the number of calls per interval that are allowed on average; at least 1.
	Calls int
	// Per is the interval. Zero means one second.
	Per time.Duration
	// Burst is the number of calls that are allowed at once after a pause. Zero means the value of Calls. A small burst
	// spreads the calls: with 60 per minute and a burst of 1, calls must be at least a second apart.
	Burst int
}

// resolved returns the rate with its defaults filled in.
func (r Rate) resolved() Rate {
	if r.Per == 0 {
		r.Per = time.Second
	}
	if r.Burst == 0 {
		r.Burst = r.Calls
	}
	return r
}

// rateUnits are the units of a rate in the tag.
var rateUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// String returns the rate as it is written in the tag: 100/m burst=10.
func (r Rate) String() string {
	r = r.resolved()
	text := strconv.Itoa(r.Calls) + "/" + r.Per.String()
	for unit, per := range rateUnits {
		if r.Per == per {
			text = strconv.Itoa(r.Calls) + "/" + unit
		}
	}
	if r.Burst != r.Calls {
		text += " burst=" + strconv.Itoa(r.Burst)
	}
	return text
}

// parseRate reads the value of the key rateLimit.
func (d *definition) parseRate(text string) (reason, fix string) {
	rate, ok := readRate(text)
	switch _, _, hasBurst := strings.Cut(text, " burst="); {
	case ok && hasBurst && rate.Burst == 0:
		return fmt.Sprintf("rateLimit is %q, but a burst of 0 allows no calls", text), fmt.Sprintf("write how many calls may come at once, 1 or more, or leave burst out for %d", rate.Calls)
	case !ok:
		return fmt.Sprintf("rateLimit is %q", text), "write a number of calls per s, m or h: rateLimit=10/s, or rateLimit=100/m burst=10"
	}
	set(d, &d.Rate, tagSource, rate.resolved())
	return "", ""
}

// readRate parses the text that Rate.String returns.
func readRate(text string) (rate Rate, ok bool) {
	text, burst, hasBurst := strings.Cut(strings.TrimSpace(text), " burst=")
	calls, unit, _ := strings.Cut(text, "/")
	rate.Per, ok = rateUnits[unit]
	if !ok {
		per, err := time.ParseDuration(unit)
		if err != nil || per <= 0 {
			return rate, false
		}
		rate.Per = per
	}
	var err error
	if rate.Calls, err = strconv.Atoi(calls); err != nil {
		return rate, false
	}
	if hasBurst {
		rate.Burst, err = strconv.Atoi(burst)
	}
	return rate, err == nil
}

// checkRate notes a rate that is not valid, or allows no calls.
func (d *definition) checkRate() {
	if !d.isSet(&d.Rate) {
		return
	}
	const fix = "write how many calls in which time, Rate{Calls: 100, Per: time.Minute}, or leave it out"
	switch r := d.Rate; {
	case r.Calls <= 0 || r.Per < 0 || r.Burst < 0:
		d.add("rateLimit", d.source(&d.Rate)+" sets "+r.String()+", which allows no calls", fix)
	case r.Calls > math.MaxInt32 || r.Burst > math.MaxInt32:
		d.add("rateLimit", d.source(&d.Rate)+" sets "+r.String()+", which is too high for a limit", fix)
	}
}

// Concurrent sets the maximum number of calls of the tool that run at once on one server, over all callers: for example
// 1 for a tool that cannot run concurrently, or the number of connections of a database. It must be at least 1. In the
// tag it is concurrent=4.
//
// Further calls wait, at most 256 of all callers and 64 of one, and calls of other tools run meanwhile. Waiting callers
// take turns, and the calls of one caller keep their order. The model gets an error that asks it to try again later if
// more calls wait, or a call has waited for as long as its [Timeout], or without one, over HTTP, for a minute. A call
// that was cancelled or has timed out counts until its func returns. A call that waits for an answer of the client
// ([Elicit], [Sample], [Roots]) does not count; after the answer it waits until it may continue. A tool with [AskFirst] asks
// before its call counts.
//
// By default only the server's limits for all tools apply. Without a server, in [Tool.Call], calls are not limited.
func Concurrent(most int) Option {
	return option(func(d *definition) { set(d, &d.Concurrent, "the option Concurrent", most) })
}
