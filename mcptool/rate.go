package mcptool

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

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

// inTag returns the rate as it is written in the tag: 100/m burst=10.
func (r Rate) inTag() string {
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

// rateUnits are the units of a rate in the tag.
var rateUnits = map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}

// readRate parses the text that inTag returns.
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

// parseRate reads the value of the key rateLimit, or returns what is wrong with it and the fix.
func parseRate(text string) (rate Rate, reason, fix string) {
	rate, ok := readRate(text)
	switch _, _, hasBurst := strings.Cut(text, " burst="); {
	case ok && hasBurst && rate.Burst == 0:
		return rate, fmt.Sprintf("rateLimit is %q, but a burst of 0 allows no calls", text), fmt.Sprintf("write how many calls may come at once, 1 or more, or leave burst out for %d", rate.Calls)
	case !ok:
		return rate, fmt.Sprintf("rateLimit is %q", text), "write a number of calls per s, m or h: rateLimit=10/s, or rateLimit=100/m burst=10"
	}
	return rate.resolved(), "", ""
}
