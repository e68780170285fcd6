package reflectschema_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

type booking struct {
	Day   datetime.Date                               `json:"day" jsonschema:"minimum=2026-01-01,maximum=2026-12-31"`
	Long  datetime.Duration                           `json:"long" jsonschema:"minimum=15m,maximum=8h" doc:"How long"`
	Rests []datetime.Duration                         `json:"rests,omitempty" jsonschema:"exclusiveMinimum=0s,exclusiveMaximum=1h"`
	Hold  *datetime.Duration                          `json:"hold,omitempty" jsonschema:"minimum=1s"`
	Until reflectschema.Optional[datetime.Date]       `json:"until,omitzero" jsonschema:"exclusiveMinimum=2026-01-01"`
	Notes reflectschema.Optional[[]datetime.Duration] `json:"notes,omitzero" jsonschema:"maximum=1m"`
	Other datetime.Duration                           `json:"other,omitempty"`
}

// TestOrderedBounds decodes values inside and outside of bounds. Each error text lets a model correct its call.
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
		switch tt.member[:4] {
		case `"day`:
			data = `{"long":"1h",` + tt.member + `}`
		case `"lon`:
			data = `{"day":"2026-01-31",` + tt.member + `}`
		}
		_, err := decode[booking](t, data)
		got := ""
		if err != nil {
			got, _, _ = strings.Cut(err.Error(), "\n")
		}
		if got != tt.want {
			t.Errorf("%s: %s: got error\n%s\nwant\n%s", tt.name, data, got, tt.want)
		}
	}
}

// TestOrderedEncode: a value outside its bounds is not encoded.
func TestOrderedEncode(t *testing.T) {
	t.Parallel()
	fit := booking{Day: datetime.Date{Year: 2026, Month: 5, Day: 4}, Long: datetime.Duration(time.Hour)}
	long, day, rest := fit, fit, fit
	long.Long = datetime.Duration(time.Minute)
	day.Day = datetime.Date{}
	rest.Rests = []datetime.Duration{0}
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
			t.Errorf("%+v encodes to %s (%s), want %s (%s)", tt.value, data, got, tt.data, tt.want)
		}
	}
}

// TestOrderedExample: the example of package samples is within bounds that the schema does not express.
func TestOrderedExample(t *testing.T) {
	t.Parallel()
	example := samples.Example(compile[booking](t, reflectschema.DirectionInput).Schema())
	if want := `{"day":"2026-01-01","long":"15m"}`; string(example) != want {
		t.Errorf("example = %s, want %s", example, want)
	}
}

// TestDurationPattern: the schema of a Duration allows the texts that the type accepts.
func TestDurationPattern(t *testing.T) {
	t.Parallel()
	schema := compile[datetime.Duration](t, reflectschema.DirectionInput).Schema()
	for _, text := range []string{"0s", "1h30m", "90m", "0.5h", "1m1h", "-0.5s", "1us", "1ns", "", "0", "90", "P1D", "1d", "+5m", ".5h", "5.h", "1h 30m", "1H", "1µs", "--1h", "1h\n"} {
		data, _ := json.Marshal(text)
		read, allowed := new(datetime.Duration).UnmarshalText([]byte(text)) == nil, schema.Check(data) == nil
		if read != allowed {
			t.Errorf("%q: accepted by the type: %v, by the schema: %v", text, read, allowed)
		}
	}
}

// unordered is a text type whose Compare has another argument type.
type unordered string

func (u unordered) MarshalText() ([]byte, error)     { return []byte(u), nil }
func (u *unordered) UnmarshalText(text []byte) error { *u = unordered(text); return nil }
func (unordered) Compare(other string) int           { return len(other) }

// TestOrderedMistakes tests bounds in tags that no value satisfies, or that the type cannot decode.
func TestOrderedMistakes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		value any
		want  string
	}{
		{"not a duration", struct {
			A datetime.Duration `jsonschema:"minimum=1d"`
		}{}, "`minimum=1d`: datetime.Duration cannot hold \"1d\": must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h; write the bound as in JSON, without quotes"},
		{"crossed", struct {
			A datetime.Duration `jsonschema:"minimum=8h,maximum=15m"`
		}{}, "`minimum=8h,maximum=15m`: no datetime.Duration is at least 8h, at most 15m; correct one of them"},
		{"crossed by an open bound", struct {
			A []datetime.Date `jsonschema:"minimum=2026-01-01,exclusiveMaximum=2026-01-01"`
		}{}, "`minimum=2026-01-01,exclusiveMaximum=2026-01-01`: no datetime.Date is at least 2026-01-01, less than 2026-01-01; correct one of them"},
		{"default outside", struct {
			A datetime.Duration `jsonschema:"minimum=1h,default=5m"`
		}{}, "`default=5m`: the value does not fit the field: must be at least 1h, got \"5m\"; correct the value or the tag"},
		{"multipleOf", struct {
			A datetime.Duration `jsonschema:"multipleOf=5m"`
		}{}, "`multipleOf=5m`: multipleOf is for numbers, not for datetime.Duration; drop it"},
		{"text without an order", struct {
			A unordered `jsonschema:"minimum=a"`
		}{}, "`minimum=a`: minimum is for numbers, and for types with text methods and a method Compare, which reflectschema_test.unordered lacks; drop it"},
	} {
		_, err := reflectschema.Compile(reflect.TypeOf(tt.value), reflectschema.DirectionInput)
		if want := "struct{…}.A (A): " + tt.want; err == nil || err.Error() != want {
			t.Errorf("%s: got error\n%v\nwant\n%s", tt.name, err, want)
		}
	}
}
