package datetime

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"fmt"
	"time"
)

// A Date is a day of the calendar without a time and a zone, from year 1 to 9999: in JSON a string such as 2026-01-31
// (full-date in RFC 3339, section 5.6) with the format date. Dates can be compared with ==, and be keys of maps. The zero
// value is not a date and cannot be written, so a field that may be empty needs omitzero, a pointer or a reflectschema.Optional.
//
// The tags of a field may have the bounds minimum, maximum, exclusiveMinimum and exclusiveMaximum, such as
// minimum=2026-01-01.
type Date struct { //nolint:recvcheck // as time.Time, only methods that decode have pointers
	Year  int
	Month time.Month
	Day   int
}

// DateOf returns the date of a time in its zone.
func DateOf(t time.Time) Date {
	year, month, day := t.Date()
	return Date{year, month, day}
}

// In returns the first moment of the day in a zone, which is usually midnight.
func (d Date) In(zone *time.Location) time.Time {
	return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, zone)
}

// Compare returns -1 if d is before other, 1 if it is after, and 0 if they are equal.
func (d Date) Compare(other Date) int {
	return cmp.Or(cmp.Compare(d.Year, other.Year), cmp.Compare(d.Month, other.Month), cmp.Compare(d.Day, other.Day))
}

// IsZero reports whether d is the zero value, which is not a date.
func (d Date) IsZero() bool { return d == Date{} }

// String returns the date as 2006-01-02.
func (d Date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.Year, int(d.Month), d.Day) }

// Value returns the date as 2006-01-02, so that database/sql can store it. See [driver.Valuer].
func (d Date) Value() (driver.Value, error) {
	text, err := d.MarshalText()
	return string(text), err
}

// Scan sets the date from a column of database/sql: a time.Time, whose zone is ignored, or text as 2006-01-02. NULL is
// an error, so use a *Date for it.
func (d *Date) Scan(column any) error {
	switch column := column.(type) {
	case time.Time:
		*d = DateOf(column)
		return nil
	case string:
		return d.UnmarshalText([]byte(column))
	case []byte:
		return d.UnmarshalText(column)
	default:
		return fmt.Errorf("datetime: a Date cannot be read from a column of type %T", column)
	}
}

// MarshalText returns the date as 2006-01-02. The error is about a day that does not exist, or years other than 1 to 9999.
func (d Date) MarshalText() ([]byte, error) {
	switch {
	case d.IsZero():
		return nil, errors.New("the date is not set")
	case d.Year < 1 || d.Year > 9999 || DateOf(d.In(time.UTC)) != d:
		return nil, fmt.Errorf("there is no day %s from year 1 to 9999", d)
	default:
		return []byte(d.String()), nil
	}
}

// UnmarshalText sets the date from text as 2006-01-02.
func (d *Date) UnmarshalText(text []byte) error {
	t, err := time.Parse(time.DateOnly, string(text))
	if err != nil || t.Year() < 1 {
		return errors.New("must be a date such as 2026-01-31, with a day that exists and a year from 0001 to 9999")
	}
	*d = DateOf(t)
	return nil
}
