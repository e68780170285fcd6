package authority

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// DateTimeShape is the shape of the beginning of a date and time of RFC 3339, for [HasShape].
const DateTimeShape = "dddd-dd-ddTdd:dd:dd"

// HasShape reports whether text begins with the shape, in which d is any digit.
func HasShape[T string | []byte](text T, shape string) bool {
	if len(text) < len(shape) {
		return false
	}
	for i := range len(shape) {
		if c := text[i]; shape[i] == 'd' && c-'0' > 9 || shape[i] != 'd' && c != shape[i] {
			return false
		}
	}
	return true
}

// errUnknownReason is the error for a text that does not resemble its format. The texts of all other errors are clauses
// that follow the text in a sentence: "whose hour 24 is above 23".
var errUnknownReason = errors.New("")

// checkDateTime checks a date and time of RFC 3339.
func checkDateTime(text string) error {
	const date = len(time.DateOnly)
	switch {
	case !HasShape(text, DateTimeShape[:date]):
		return errUnknownReason
	case len(text) == date:
		return errors.New("which has no time")
	case text[date] == ' ':
		return errors.New("which has a space where T must be")
	case text[date] != 'T' && text[date] != 't':
		return errUnknownReason
	}
	return cmp.Or(checkDate(text[:date]), checkTime(text[date+1:]))
}

// checkTime checks a time of RFC 3339.
func checkTime(text string) error {
	const clock = "dd:dd:dd"
	if !HasShape(text, clock) {
		return errUnknownReason
	}
	hour, minute, second := TwoDigits([]byte(text)), TwoDigits([]byte(text[3:])), TwoDigits([]byte(text[6:]))
	switch {
	case hour > 23:
		return fmt.Errorf("whose hour %d is above 23", hour)
	case minute > 59:
		return fmt.Errorf("whose minute %d is above 59", minute)
	case second > 60:
		return fmt.Errorf("whose second %d is above 59", second)
	}
	offset, err := checkZone(text[len(clock):])
	const day = 24 * 60
	if err == nil && second == 60 && (hour*60+minute-offset+day)%day != day-1 {
		return errors.New("whose second 60 is not a leap second: those occur at 23:59 UTC")
	}
	return err
}

// checkDate checks a date of RFC 3339.
func checkDate(text string) error {
	if len(text) != len(time.DateOnly) || !HasShape(text, DateTimeShape[:len(time.DateOnly)]) {
		return errUnknownReason
	}
	month, day := TwoDigits([]byte(text[5:])), TwoDigits([]byte(text[8:]))
	if month < 1 || month > 12 {
		return fmt.Errorf("whose month %d is not one of 1 to 12", month)
	}
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return fmt.Errorf("whose month has no day %d", day)
	}
	return nil
}

// checkZone checks the fraction of the second and the zone, and returns the offset from UTC in minutes.
func checkZone(rest string) (offset int, err error) {
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		n := Digits([]byte(fraction))
		if n == 0 {
			return 0, errors.New("whose second has a point and no digits after it")
		}
		rest = fraction[n:]
	}
	switch {
	case rest == "Z" || rest == "z":
		return 0, nil
	case rest == "":
		return 0, errors.New("which has no zone, such as Z or +01:00")
	case rest[0] == ',':
		return 0, errors.New("whose second has a comma where a point must be")
	case len(rest) != len("+dd:dd") || rest[0] != '+' && rest[0] != '-' || !HasShape(rest[1:], "dd:dd"):
		return 0, fmt.Errorf("whose zone %s is neither Z nor like +01:00", show.Quote(rest, show.MaxText))
	}
	hours, minutes := TwoDigits([]byte(rest[1:])), TwoDigits([]byte(rest[4:]))
	if hours > 23 || minutes > 59 {
		return 0, fmt.Errorf("whose zone %s is beyond 23:59", rest)
	}
	offset = hours*60 + minutes
	if rest[0] == '-' {
		offset = -offset
	}
	return offset, nil
}

// WithReason returns a text for a message, followed by fault unless that is empty; see [FormatReason].
func WithReason(text, fault string) string {
	if fault != "" {
		return show.Value(text) + ", " + fault
	}
	return show.Value(text)
}

// errLeapSecond is the error for a valid time that Go cannot represent.
var errLeapSecond = errors.New("whose second 60 is a leap second, which cannot be read")

// ParseTime parses a date and time of RFC 3339, with T and Z in upper or lower case; package time
// accepts only upper case. The text of the error is a clause, as of [FormatReason].
func ParseTime(text string) (t time.Time, err error) {
	if err := checkDateTime(text); err != nil {
		return t, err
	}
	if err := t.UnmarshalText([]byte(strings.ToUpper(text))); err != nil {
		return t, errLeapSecond // checkDateTime has found all other errors
	}
	return t, nil
}

// TwoDigits returns the number in the first two bytes of b, which must be digits.
func TwoDigits(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }

// Digits returns the number of digits at the beginning of data.
func Digits(data []byte) int {
	n := 0
	for n < len(data) && data[n]-'0' <= 9 {
		n++
	}
	return n
}
