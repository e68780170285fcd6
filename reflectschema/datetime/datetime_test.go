package datetime_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

var (
	_ driver.Valuer = datetime.Date{}
	_ sql.Scanner   = (*datetime.Date)(nil)
)

// TestDateTexts decodes and encodes each day of four years, at the ends of the range and around a leap day, and
// compares the result with package time.
func TestDateTexts(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"0001-01-01", "1900-01-01", "2024-01-01", "9999-01-01"} {
		start, _ := time.Parse(time.DateOnly, first)
		before := datetime.Date{}
		for day := start; day.Year() == start.Year(); day = day.AddDate(0, 0, 1) {
			want := day.Format(time.DateOnly)
			var got datetime.Date
			err := json.Unmarshal([]byte(`"`+want+`"`), &got)
			text, _ := json.Marshal(got)
			if err != nil || string(text) != `"`+want+`"` || got != datetime.DateOf(day) || !got.In(time.UTC).Equal(day) {
				t.Fatalf("%s decodes to %v (%v) and encodes to %s", want, got, err, text)
			}
			if got.Compare(before) != 1 || before.Compare(got) != -1 || got.Compare(got) != 0 || got.IsZero() {
				t.Fatalf("%v is not after %v", got, before)
			}
			before = got
		}
	}
}

// TestDateRefused: a day that does not exist is refused when decoded and encoded.
func TestDateRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "2026-02-30", "2026-2-3", "2026-13-01", "0000-01-01", "10000-01-01", "-001-01-01", "2026-01-31T00:00:00Z", "31.01.2026", " 2026-01-31", "2026-01-31\n"} {
		d := datetime.Date{Year: 1, Month: 1, Day: 1}
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q decodes to %v, want an error", text, d)
		}
	}
	for _, d := range []datetime.Date{{}, {Year: 2026, Month: 2, Day: 30}, {Year: 2026, Month: 13, Day: 1}, {Year: 10000, Month: 1, Day: 1}, {Month: 1, Day: 1}, {Year: 2026}} {
		if text, err := d.MarshalText(); err == nil {
			t.Errorf("%#v encodes to %s, want an error", d, text)
		}
	}
}

// TestDateColumns tests the values that drivers of database/sql return and accept.
func TestDateColumns(t *testing.T) {
	t.Parallel()
	want := datetime.Date{Year: 2026, Month: 1, Day: 31}
	for _, column := range []any{"2026-01-31", []byte("2026-01-31"), time.Date(2026, 1, 31, 23, 0, 0, 0, time.FixedZone("", 7200))} {
		var got datetime.Date
		if err := got.Scan(column); err != nil || got != want {
			t.Errorf("Scan(%v) = %v (%v)", column, got, err)
		}
	}
	for _, column := range []any{nil, int64(1), "2026-02-30"} {
		if err := new(datetime.Date).Scan(column); err == nil {
			t.Errorf("Scan(%v) succeeded, want an error", column)
		}
	}
	for _, pointer := range []*datetime.Date{&want, nil} {
		got, err := driver.DefaultParameterConverter.ConvertValue(pointer)
		if err != nil || pointer != nil && got != "2026-01-31" || pointer == nil && got != nil {
			t.Errorf("Value of %v = %v (%v)", pointer, got, err)
		}
	}
}

// TestDurationTexts decodes and encodes durations of each unit, and compares the result with package time.
func TestDurationTexts(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 1500: "1.5us", 1500 * time.Microsecond: "1.5ms", 90 * time.Second: "1m30s", 30 * time.Minute: "30m", 10 * time.Hour: "10h",
		90 * time.Minute: "1h30m", time.Hour + time.Second: "1h0m1s", -90 * time.Minute: "-1h30m", 100 * time.Hour: "100h", 1<<63 - 1: "2562047h47m16.854775807s",
		-1 << 63: "-2562047h47m16.854775808s", 20 * time.Minute: "20m", time.Hour + 500*time.Millisecond: "1h0m0.5s",
	} {
		var got datetime.Duration
		text, err := json.Marshal(datetime.Duration(d))
		if err != nil || string(text) != `"`+want+`"` {
			t.Errorf("%v encodes to %s (%v), want %s", d, text, err, want)
		}
		if err := json.Unmarshal(text, &got); err != nil || time.Duration(got) != d {
			t.Errorf("%s decodes to %v (%v)", text, got, err)
		}
	}
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "0.5h": 30 * time.Minute, "1m1h": 61 * time.Minute, "-0.5s": -500 * time.Millisecond} {
		var got datetime.Duration
		if err := got.UnmarshalText([]byte(text)); err != nil || time.Duration(got) != want {
			t.Errorf("%s decodes to %v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "90", "P1D", "PT1H", "1d", "1w", "+5m", ".5h", "5.h", "1h 30m", "1H", "1µs", "--1h", "1h\n", "3000000h", "99999999999999999999h"} {
		if got := datetime.Duration(7); got.UnmarshalText([]byte(text)) == nil || got != 7 {
			t.Errorf("%q decodes to %v, want an error", text, got)
		}
	}
}
