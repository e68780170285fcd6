package authority

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/reflectschema/internal/show"
)

// dateShape is the shape of a date of RFC 3339, for hasShape.
const dateShape = "dddd-dd-dd"

// hasShape reports whether text begins with the shape, in which d is any digit.
func hasShape(text []byte, shape string) bool {
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

// CheckDateTime checks a date and time of RFC 3339. Like the other checks here, it does not allocate for a valid text. The
// text of the error is a clause, as of [FormatReason].
func CheckDateTime(text []byte) error {
	const date = len(dateShape)
	switch {
	case !hasShape(text, dateShape):
		return errUnknownReason
	case len(text) == date:
		return errors.New("which has no time")
	case text[date] == ' ':
		return errors.New("which has a space where T must be")
	case text[date] != 'T' && text[date] != 't':
		return errUnknownReason
	}
	if err := checkDay(text); err != nil {
		return err
	}
	return checkTime(text[date+1:])
}

// checkTime checks a time of RFC 3339.
func checkTime(text []byte) error {
	const clock = "dd:dd:dd"
	if !hasShape(text, clock) {
		return errUnknownReason
	}
	hour, minute, second := twoDigits(text), twoDigits(text[3:]), twoDigits(text[6:])
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
func checkDate(text []byte) error {
	if len(text) != len(dateShape) || !hasShape(text, dateShape) {
		return errUnknownReason
	}
	return checkDay(text)
}

// checkDay checks the numbers in a date that has the shape.
func checkDay(date []byte) error {
	year, month, day := 100*twoDigits(date)+twoDigits(date[2:]), twoDigits(date[5:]), twoDigits(date[8:])
	if month < 1 || month > 12 {
		return fmt.Errorf("whose month %d is not one of 1 to 12", month)
	}
	isLeap := year%4 == 0 && (year%100 != 0 || year%400 == 0)
	if day < 1 || day > daysOf[month] && (day > 29 || month != 2 || !isLeap) {
		return fmt.Errorf("whose month has no day %d", day)
	}
	return nil
}

// daysOf are the numbers of days of each month in a year that is not a leap year.
var daysOf = [13]int{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

// checkZone checks the fraction of the second and the zone, and returns the offset from UTC in minutes.
func checkZone(rest []byte) (offset int, err error) {
	if fraction, ok := bytes.CutPrefix(rest, []byte(".")); ok {
		n := rawjson.DigitsEnd(fraction, 0)
		if n == 0 {
			return 0, errors.New("whose second has a point and no digits after it")
		}
		rest = fraction[n:]
	}
	switch {
	case string(rest) == "Z" || string(rest) == "z":
		return 0, nil
	case len(rest) == 0:
		return 0, errors.New("which has no zone, such as Z or +01:00")
	case rest[0] == ',':
		return 0, errors.New("whose second has a comma where a point must be")
	case len(rest) != len("+dd:dd") || rest[0] != '+' && rest[0] != '-' || !hasShape(rest[1:], "dd:dd"):
		return 0, fmt.Errorf("whose zone %s is neither Z nor like +01:00", show.Quote(string(rest), show.MaxText))
	}
	hours, minutes := twoDigits(rest[1:]), twoDigits(rest[4:])
	if hours > 23 || minutes > 59 {
		return 0, fmt.Errorf("whose zone %s is beyond 23:59", string(rest))
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
	if err := CheckDateTime([]byte(text)); err != nil {
		return t, err
	}
	if err := t.UnmarshalText([]byte(strings.ToUpper(text))); err != nil {
		return t, errLeapSecond // CheckDateTime has found all other errors
	}
	return t, nil
}

// twoDigits returns the number in the first two bytes of b, which must be digits.
func twoDigits(b []byte) int { return int(b[0]-'0')*10 + int(b[1]-'0') }
