package reflectschema_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

type dated struct {
	When time.Time `json:"when,omitzero"`
	Text string    `json:"text,omitempty" jsonschema:"format=date-time"`
	Day  string    `json:"day,omitempty" jsonschema:"format=date"`
}

// TestDateTimeWords checks the error texts for invalid dates and times.
func TestDateTimeWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"2026-01-01T00:00:00+24:00":   "whose zone +24:00 is beyond 23:59",
		"2026-01-01T00:00:00+01:60":   "whose zone +01:60 is beyond 23:59",
		"2026-01-01T00:00:00+01":      `whose zone "+01" is neither Z nor like +01:00`,
		"2026-01-01T00:00:00 Z":       `whose zone " Z" is neither Z nor like +01:00`,
		"2026-01-01T00:00:00":         "which has no zone, such as Z or +01:00",
		"2026-01-01T00:00:00.5":       "which has no zone, such as Z or +01:00",
		"2026-01-01T00:00:00,5Z":      "whose second has a comma where a point must be",
		"2026-01-01T00:00:00.Z":       "whose second has a point and no digits after it",
		"2026-01-01 00:00:00Z":        "which has a space where T must be",
		"2026-01-01":                  "which has no time",
		"2026-13-01T00:00:00Z":        "whose month 13 is not one of 1 to 12",
		"2026-02-29T00:00:00Z":        "whose month has no day 29",
		"2026-01-01T24:00:00Z":        "whose hour 24 is above 23",
		"2026-01-01T00:60:00Z":        "whose minute 60 is above 59",
		"2026-01-01T00:00:61Z":        "whose second 61 is above 59",
		"2026-01-01T00:00:60Z":        "whose second 60 is not a leap second: those occur at 23:59 UTC",
		"tomorrow":                    `got "tomorrow"`,
		"2026-01-01T0:00:00Z":         `got "2026-01-01T0:00:00Z"`,
		"2026-01-31T+1:00:00Z":        `got "2026-01-31T+1:00:00Z"`,
		"2026-01-01T00:00:00Z, or so": `whose zone "Z, or so" is neither Z nor like +01:00`,
	} {
		for _, field := range []string{"when", "text"} {
			_, err := decode[dated](t, fmt.Sprintf(`{%q:%q}`, field, text))
			if err == nil || !strings.Contains(err.Error(), field+": must have the format date-time, such as \"2026-01-31T09:30:00Z\", got ") ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: got error %v, want %q", field, text, err, want)
			}
		}
	}
	for text, want := range map[string]string{
		"2026-00-01": "whose month 0 is not one of 1 to 12",
		"2025-02-29": "whose month has no day 29",
		"20260101":   `got "20260101"`,
	} {
		if _, err := decode[dated](t, fmt.Sprintf(`{"day":%q}`, text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", text, err, want)
		}
	}
	if _, err := decode[dated](t, `{"when":"2016-12-31T23:59:60Z"}`); err == nil || !strings.Contains(err.Error(), "which cannot be read") {
		t.Errorf("leap second: got error %v", err)
	}
}

// TestDateTimeAgrees checks that the authority's format and time.Time agree about every date and time, except leap
// seconds, which Go does not support.
func TestDateTimeAgrees(t *testing.T) {
	t.Parallel()
	compiled, err := reflectschema.Compile(reflect.TypeFor[dated](), reflectschema.DirectionInput)
	if err != nil {
		t.Fatal(err)
	}
	fit, refused := 0, 0
	for _, date := range []string{"2026-01-31", "2024-02-29", "2026-02-29", "2026-04-31", "0000-01-01", "9999-12-31", "2026-00-10", "2026-1-10", "20260110", "+026-01-10"} {
		for _, between := range []string{"T", "t", " ", "_", ""} {
			for _, clock := range []string{"00:00:00", "23:59:59", "24:00:00", "12:60:00", "12:00:61", "1:02:03", "12:00", "+1:00:00", "12:00:00.5", "12:00:00.1234567891", "12:00:00.", "12:00:00,5"} {
				for _, zone := range []string{"Z", "z", "", "+00:00", "-00:00", "+23:59", "-23:59", "+24:00", "-24:00", "+01:60", "+0100", "+01", "+1:00", "Zz", " Z", "+-1:00"} {
					text := date + between + clock + zone
					judged := compiled.Schema().Judge(fmt.Appendf(nil, `{"when":%q}`, text))
					got, decoded := decode[dated](t, fmt.Sprintf(`{"when":%q}`, text))
					if (judged == nil) != (decoded == nil) {
						t.Fatalf("%s: the authority says %v, Decode %v", text, judged, decoded)
					}
					if decoded != nil {
						refused++
						continue
					}
					fit++
					if _, err := compiled.AppendEncode(nil, reflect.ValueOf(got)); err != nil {
						t.Errorf("%s decodes, but cannot be encoded: %v", text, err)
					}
				}
			}
		}
	}
	if fit < 100 || refused < 1000 {
		t.Errorf("%d fit, %d do not", fit, refused)
	}
}
