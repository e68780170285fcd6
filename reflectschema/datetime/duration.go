package datetime

import (
	"cmp"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"
)

// A Duration is a [time.Duration] that is text in JSON, such as 1h30m: numbers, each with one of the units h, m, s, ms, us
// and ns, after a minus sign if it is negative. A model writes it more reliably than the nanoseconds of a time.Duration.
//
// The tags of a field may have the bounds minimum, maximum, exclusiveMinimum and exclusiveMaximum, such as
// minimum=15m,maximum=8h. Without them, a duration may be negative; minimum=0s prevents that.
type Duration time.Duration

// Compare returns -1 if d is shorter than other, 1 if it is longer, and 0 if they are equal. A negative duration is shorter
// than 0.
func (d Duration) Compare(other Duration) int { return cmp.Compare(d, other) }

// String returns the duration as MarshalText does.
func (d Duration) String() string {
	text := strings.Replace(time.Duration(d).String(), "µ", "u", 1)
	if short, ok := strings.CutSuffix(text, "m0s"); ok {
		text = short + "m"
	}
	if short, ok := strings.CutSuffix(text, "h0m"); ok {
		text = short + "h"
	}
	return text
}

// MarshalText returns the duration without units that are zero, such as 1h30m; 0s if it is zero. It never fails.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// isDuration matches what UnmarshalText reads, except that some is too long. It is the pattern in the schema.
var isDuration = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-?([0-9]+(\.[0-9]+)?(h|m|s|ms|us|ns))+$`)
})

// UnmarshalText sets the duration from text such as 1h30m.
func (d *Duration) UnmarshalText(text []byte) error {
	if !isDuration().Match(text) {
		return errors.New("must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h")
	}
	parsed, err := time.ParseDuration(string(text))
	if err != nil {
		return errors.New("must be a duration of at most 2562047h, about 292 years")
	}
	*d = Duration(parsed)
	return nil
}
