package reflectschema_test

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
)

var (
	_ driver.Valuer = reflectschema.Date{}
	_ sql.Scanner   = (*reflectschema.Date)(nil)
)

// TestDateTexts reads and writes each day of four years at the ends of the range and around a leap day, and compares the
// result with package time.
func TestDateTexts(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"0001-01-01", "1900-01-01", "2024-01-01", "9999-01-01"} {
		start, _ := time.Parse(time.DateOnly, first)
		before := reflectschema.Date{}
		for day := start; day.Year() == start.Year(); day = day.AddDate(0, 0, 1) {
			want := day.Format(time.DateOnly)
			var got reflectschema.Date
			err := json.Unmarshal([]byte(`"`+want+`"`), &got)
			text, _ := json.Marshal(got)
			if err != nil || string(text) != `"`+want+`"` || got != reflectschema.DateOf(day) || !got.In(time.UTC).Equal(day) {
				t.Fatalf("%s is read as %v (%v) and written as %s", want, got, err, text)
			}
			if got.Compare(before) != 1 || before.Compare(got) != -1 || got.Compare(got) != 0 || got.IsZero() {
				t.Fatalf("%v is not after %v", got, before)
			}
			before = got
		}
	}
}

// TestDateRefused: neither direction accepts a day that does not exist.
func TestDateRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "2026-02-30", "2026-2-3", "2026-13-01", "0000-01-01", "10000-01-01", "-001-01-01", "2026-01-31T00:00:00Z", "31.01.2026", " 2026-01-31", "2026-01-31\n"} {
		d := reflectschema.Date{Year: 1, Month: 1, Day: 1}
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is read as %v", text, d)
		}
	}
	for _, d := range []reflectschema.Date{{}, {Year: 2026, Month: 2, Day: 30}, {Year: 2026, Month: 13, Day: 1}, {Year: 10000, Month: 1, Day: 1}, {Month: 1, Day: 1}, {Year: 2026}} {
		if text, err := d.MarshalText(); err == nil {
			t.Errorf("%#v is written as %s", d, text)
		}
	}
}

// TestDateColumns covers what drivers of database/sql return and take.
func TestDateColumns(t *testing.T) {
	t.Parallel()
	want := reflectschema.Date{Year: 2026, Month: 1, Day: 31}
	for _, column := range []any{"2026-01-31", []byte("2026-01-31"), time.Date(2026, 1, 31, 23, 0, 0, 0, time.FixedZone("", 7200))} {
		var got reflectschema.Date
		if err := got.Scan(column); err != nil || got != want {
			t.Errorf("%v is read as %v (%v)", column, got, err)
		}
	}
	for _, column := range []any{nil, int64(1), "2026-02-30"} {
		if err := new(reflectschema.Date).Scan(column); err == nil {
			t.Errorf("%v is read without an error", column)
		}
	}
	for _, pointer := range []*reflectschema.Date{&want, nil} {
		got, err := driver.DefaultParameterConverter.ConvertValue(pointer)
		if err != nil || pointer != nil && got != "2026-01-31" || pointer == nil && got != nil {
			t.Errorf("%v becomes the column %v (%v)", pointer, got, err)
		}
	}
}

// TestDurationTexts reads and writes durations of each unit, and compares the result with package time.
func TestDurationTexts(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 1: "1ns", 1500: "1.5us", 1500 * time.Microsecond: "1.5ms", 90 * time.Second: "1m30s", 30 * time.Minute: "30m", 10 * time.Hour: "10h",
		90 * time.Minute: "1h30m", time.Hour + time.Second: "1h0m1s", -90 * time.Minute: "-1h30m", 100 * time.Hour: "100h", 1<<63 - 1: "2562047h47m16.854775807s",
		-1 << 63: "-2562047h47m16.854775808s", 20 * time.Minute: "20m", time.Hour + 500*time.Millisecond: "1h0m0.5s",
	} {
		var got reflectschema.Duration
		text, err := json.Marshal(reflectschema.Duration(d))
		if err != nil || string(text) != `"`+want+`"` {
			t.Errorf("%v is written as %s (%v), want %s", d, text, err, want)
		}
		if err := json.Unmarshal(text, &got); err != nil || time.Duration(got) != d {
			t.Errorf("%s is read as %v (%v)", text, got, err)
		}
	}
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "0.5h": 30 * time.Minute, "1m1h": 61 * time.Minute, "-0.5s": -500 * time.Millisecond} {
		var got reflectschema.Duration
		if err := got.UnmarshalText([]byte(text)); err != nil || time.Duration(got) != want {
			t.Errorf("%s is read as %v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "90", "P1D", "PT1H", "1d", "1w", "+5m", ".5h", "5.h", "1h 30m", "1H", "1µs", "--1h", "1h\n", "3000000h", "99999999999999999999h"} {
		if got := reflectschema.Duration(7); got.UnmarshalText([]byte(text)) == nil || got != 7 {
			t.Errorf("%q is read as %v", text, got)
		}
	}
}

type booking struct {
	Day   reflectschema.Date                               `json:"day" jsonschema:"minimum=2026-01-01,maximum=2026-12-31"`
	Long  reflectschema.Duration                           `json:"long" jsonschema:"minimum=15m,maximum=8h" doc:"How long"`
	Rests []reflectschema.Duration                         `json:"rests,omitempty" jsonschema:"exclusiveMinimum=0s,exclusiveMaximum=1h"`
	Hold  *reflectschema.Duration                          `json:"hold,omitempty" jsonschema:"minimum=1s"`
	Until reflectschema.Optional[reflectschema.Date]       `json:"until,omitzero" jsonschema:"exclusiveMinimum=2026-01-01"`
	Notes reflectschema.Optional[[]reflectschema.Duration] `json:"notes,omitzero" jsonschema:"maximum=1m"`
	Other reflectschema.Duration                           `json:"other,omitempty"`
}

// TestOrderedBounds decodes values inside and outside of bounds. A model can correct its call by each text.
func TestOrderedBounds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, member, want string }{
		{"at the minimum", `"long":"15m"`, ""},
		{"at the maximum, in another spelling", `"long":"480m"`, ""},
		{"below", `"long":"14m59s"`, `long: must be at least 15m, got "14m59s"`},
		{"above", `"long":"8h1s"`, `long: must be at most 8h, got "8h1s"`},
		{"negative", `"long":"-1h"`, `long: must be at least 15m, got "-1h"`},
		{"empty", `"long":""`, `long: must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h, got ""`},
		{"ISO 8601", `"long":"P1D"`, `long: must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h, got "P1D"`},
		{"days", `"long":"1d"`, `long: must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h, got "1d"`},
		{"without a unit", `"long":"90"`, `long: must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h, got "90"`},
		{"a number", `"long":90`, `long: must be a string, got the number 90`},
		{"too long for Go", `"long":"9999999h"`, `long: must be a duration of at most 2562047h, about 292 years, got "9999999h"`},
		{"null", `"long":null`, `long: must be a string, got null`},
		{"an element", `"rests":["1m","0s"]`, `rests[1]: must be greater than 0s, got "0s"`},
		{"an element at an open maximum", `"rests":["1h"]`, `rests[0]: must be less than 1h, got "1h"`},
		{"behind a pointer", `"hold":"1ms"`, `hold: must be at least 1s, got "1ms"`},
		{"optional", `"until":"2026-01-01"`, `until: must be greater than 2026-01-01, got "2026-01-01"`},
		{"optional null", `"until":null,"notes":null`, ""},
		{"optional elements", `"notes":["2m"]`, `notes[0]: must be at most 1m, got "2m"`},
		{"negative without bounds", `"other":"-1h"`, ""},
		{"day before", `"day":"2025-12-31"`, `day: must be at least 2026-01-01, got "2025-12-31"`},
		{"day that does not exist", `"day":"2026-02-30"`, `day: must have the format date, such as "2026-01-31", got "2026-02-30", whose month has no day 30`},
		{"empty day", `"day":""`, `day: must have the format date, such as "2026-01-31", got ""`},
		{"year 0", `"day":"0000-01-01"`, `day: must be a date such as 2026-01-31, with a day that exists and a year from 0001 to 9999, got "0000-01-01"`},
		{"year 10000", `"day":"10000-01-01"`, `day: must have the format date, such as "2026-01-31", got "10000-01-01"`},
		{"null day", `"day":null`, `day: must be a string, got null`},
	} {
		data := `{"day":"2026-01-31","long":"1h",` + tt.member + `}`
		if tt.member[:4] == `"day` {
			data = `{"long":"1h",` + tt.member + `}`
		} else if tt.member[:4] == `"lon` {
			data = `{"day":"2026-01-31",` + tt.member + `}`
		}
		_, err := decode[booking](t, data)
		got := ""
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != tt.want {
			t.Errorf("%s: %s: the error is\n%s\nwant\n%s", tt.name, data, got, tt.want)
		}
	}
}

// TestOrderedEncode: a value outside of its bounds is not written.
func TestOrderedEncode(t *testing.T) {
	t.Parallel()
	fit := booking{Day: reflectschema.Date{Year: 2026, Month: 5, Day: 4}, Long: reflectschema.Duration(time.Hour)}
	long, day, rest := fit, fit, fit
	long.Long = reflectschema.Duration(time.Minute)
	day.Day = reflectschema.Date{}
	rest.Rests = []reflectschema.Duration{0}
	typ := compile[booking](t, reflectschema.DirectionOutput)
	for _, tt := range []struct {
		value      booking
		data, want string
	}{
		{fit, `{"day":"2026-05-04","long":"1h"}`, ""},
		{long, "", `long: must be at least 15m, got "1m"`},
		{day, "", "day: must be a value that can be written, got an error: the date is not set"},
		{rest, "", `rests[0]: must be greater than 0s, got "0s"`},
	} {
		data, err := typ.AppendEncode(nil, reflect.ValueOf(tt.value))
		got := ""
		if err != nil {
			got = err.Error()
		}
		if string(data) != tt.data || got != tt.want {
			t.Errorf("%+v is written as %s (%s), want %s (%s)", tt.value, data, got, tt.data, tt.want)
		}
	}
}

// TestOrderedExample: the example of an error is within the bounds, which the schema does not express.
func TestOrderedExample(t *testing.T) {
	t.Parallel()
	example := compile[booking](t, reflectschema.DirectionInput).Schema().Example()
	if want := `{"day":"2026-01-01","long":"15m"}`; string(example) != want {
		t.Errorf("the example is %s, want %s", example, want)
	}
}

// unordered is text without an order, and ordered by something else.
type unordered string

func (u unordered) MarshalText() ([]byte, error)     { return []byte(u), nil }
func (u *unordered) UnmarshalText(text []byte) error { *u = unordered(text); return nil }
func (unordered) Compare(other string) int           { return len(other) }

// TestOrderedMistakes covers bounds in tags that no value meets, or that the type cannot read.
func TestOrderedMistakes(t *testing.T) {
	t.Parallel()
	text := reflectschema.WithTypeCodec(`{"type":"string"}`,
		func(d *time.Duration) ([]byte, error) { return json.Marshal(d.String()) },
		func(data []byte, d *time.Duration) error { *d = time.Duration(len(data)); return nil })
	for _, tt := range []struct {
		name  string
		value any
		types []reflectschema.TypeOption
		want  string
	}{
		{"not a duration", struct {
			A reflectschema.Duration `jsonschema:"minimum=1d"`
		}{}, nil, "`minimum=1d`: reflectschema.Duration cannot hold \"1d\": must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h; write the bound as in JSON, without quotes"},
		{"crossed", struct {
			A reflectschema.Duration `jsonschema:"minimum=8h,maximum=15m"`
		}{}, nil, "`minimum=8h,maximum=15m`: no reflectschema.Duration is at least 8h, at most 15m; correct one of them"},
		{"crossed by an open bound", struct {
			A []reflectschema.Date `jsonschema:"minimum=2026-01-01,exclusiveMaximum=2026-01-01"`
		}{}, nil, "`minimum=2026-01-01,exclusiveMaximum=2026-01-01`: no reflectschema.Date is at least 2026-01-01, less than 2026-01-01; correct one of them"},
		{"default outside", struct {
			A reflectschema.Duration `jsonschema:"minimum=1h,default=5m"`
		}{}, nil, "`default=5m`: the value does not fit the field: must be at least 1h, got \"5m\"; correct the value or the tag"},
		{"multipleOf", struct {
			A reflectschema.Duration `jsonschema:"multipleOf=5m"`
		}{}, nil, "`multipleOf=5m`: multipleOf is for numbers, not for reflectschema.Duration; drop it"},
		{"text without an order", struct {
			A unordered `jsonschema:"minimum=a"`
		}{}, nil, "`minimum=a`: minimum is for numbers, and for types with text methods and a method Compare, which reflectschema_test.unordered lacks; drop it"},
		{"time.Duration as text", struct {
			A time.Duration `jsonschema:"minimum=15m"`
		}{}, []reflectschema.TypeOption{text}, "`minimum=15m`: minimum is for numbers, and for types with text methods and a method Compare, which time.Duration lacks; use reflectschema.Duration, which is text and has bounds"},
	} {
		_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.Options{Types: tt.types})
		if want := "struct{…}.A (A): " + tt.want; err == nil || err.Error() != want {
			t.Errorf("%s: the error is\n%v\nwant\n%s", tt.name, err, want)
		}
	}
}
