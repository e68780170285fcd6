package runtime

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
	"weak"

	"golang.org/x/time/rate"

	"github.com/mcptool-go/mcptool/mcptool"
)

const (
	// maxCallers is how many callers of one tool are told apart at a time; those beyond share.
	// A caller takes some 300 bytes.
	maxCallers = 10_000
	// sweepInterval is how often those are looked for who need not be remembered.
	sweepInterval = time.Second
)

// rates is how often each caller has called one tool.
type rates struct {
	rate mcptool.Rate

	last atomic.Pointer[known] // who called last, and so may call next; nil if nobody is known

	mu      sync.Mutex
	callers map[ratedCaller]*rate.Limiter
	swept   time.Time
	others  *rate.Limiter // of the callers that there is no room for
}

// known is one of the callers.
type known struct {
	who     ratedCaller
	limiter *rate.Limiter
}

// ratedCaller is whose calls are counted together: a [Caller], but for peers that the transport trusts, which are told
// apart by their sessions.
type ratedCaller struct {
	Caller
	session weak.Pointer[Session] // of a trusted peer; those without a session are one caller
}

// ratedCaller returns whose calls the request is counted with.
func (r *request) ratedCaller() ratedCaller {
	who := ratedCaller{Caller: r.access.Caller()}
	if r.access == nil && r.session.endpoint == nil {
		who.session = r.session.self
	}
	return who
}

func newRates(limit mcptool.Rate) *rates {
	r := &rates{rate: limit, callers: map[ratedCaller]*rate.Limiter{}}
	r.others = r.limiter()
	return r
}

// limiter returns the limiter of a caller who has not called yet.
func (r *rates) limiter() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(float64(r.rate.Calls)/r.rate.Per.Seconds()), r.rate.Burst)
}

// take takes note of a call, or returns how long it is until there may be one.
func (r *rates) take(who ratedCaller, now time.Time) (wait time.Duration) {
	if last := r.last.Load(); last != nil && last.who == who && last.limiter.AllowN(now, 1) && r.last.Load() == last {
		return 0 // and it had not been forgotten before
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	limiter := r.of(who, now)
	if limiter.AllowN(now, 1) {
		return 0
	}
	call := limiter.ReserveN(now, 1)
	if wait = call.DelayFrom(now); wait > 0 {
		call.CancelAt(now)
	}
	return wait
}

// of returns the limiter of a caller. The caller of it holds r.mu.
func (r *rates) of(who ratedCaller, now time.Time) *rate.Limiter {
	if l := r.callers[who]; l != nil {
		if last := r.last.Load(); last == nil || last.who != who {
			r.last.Store(&known{who, l})
		}
		return l
	}
	if now.Sub(r.swept) >= sweepInterval {
		r.sweep(now)
	}
	if len(r.callers) >= maxCallers {
		return r.others
	}
	l := r.limiter()
	r.callers[who] = l
	return l
}

// sweep forgets the callers who may call as if they had never called, but for the last one, who may be calling.
func (r *rates) sweep(now time.Time) {
	r.swept = now
	last := r.last.Load()
	for who, l := range r.callers {
		if (last == nil || last.who != who) && l.TokensAt(now) >= float64(r.rate.Burst) {
			delete(r.callers, who)
		}
	}
}

// refusal tells the model when to come back.
func (r *rates) refusal(wait time.Duration) string {
	wait = max((wait + time.Second - 1).Truncate(time.Second), time.Second)
	return fmt.Sprintf("too many calls: the tool may be called %s by one caller; call it again in %s", frequency(r.rate), wait)
}

// frequency says a rate in words.
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

// tooMany answers a call that comes too soon after others, and reports whether it is one. The
// answer is a result, which the model reads and can heed.
func (r *request) tooMany(s *served) bool {
	if s.bounds == nil || s.bounds.rates == nil {
		return false
	}
	wait := s.bounds.rates.take(r.ratedCaller(), r.now().time())
	if wait <= 0 {
		return false
	}
	compose(func(msg []byte) {
		r.to.reply(msg, Served)
		r.auditRefusal(outcomeLimited, len(msg))
	}, func(dst []byte) []byte {
		return endResponse(r.session.appendFailure(beginResult(dst, r.id), s.bounds.rates.refusal(wait), r.version))
	})
	return true
}
