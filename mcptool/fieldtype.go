package mcptool

import (
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// An Optional is a field of arguments or results that is absent, null or a value, such as a column that an update keeps,
// clears or sets. The zero value is absent; Optional[string]{Null: true} is null, and Optional[string]{Value: new("a")} a
// value. See [reflectschema.Optional].
type Optional[T any] = reflectschema.Optional[T]

// A Date is a day without a time, 2026-01-31 in JSON. Tags may have bounds, such as minimum=2026-01-01. See
// [reflectschema.Date].
type Date = reflectschema.Date

// A Duration is a [time.Duration] that is text in JSON, such as 1h30m. Tags may have bounds, such as minimum=15m,maximum=8h.
// See [reflectschema.Duration].
type Duration = reflectschema.Duration

// DateOf returns the date of a time in its zone.
func DateOf(t time.Time) Date { return reflectschema.DateOf(t) }
