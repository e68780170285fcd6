package mcptool_test

import (
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

func GetWeather(context.Context, None) (None, error)    { return None{}, nil }
func HTTPGet(context.Context, None) (None, error)       { return None{}, nil }
func Identity[T any](_ context.Context, v T) (T, error) { return v, nil }
func Größe(context.Context, None) (None, error)         { return None{}, nil }

type (
	byValue   struct{}
	byPointer struct{}
)

func (byValue) Forecast(context.Context, None) (None, error)   { return None{}, nil }
func (*byPointer) Measure(context.Context, None) (None, error) { return None{}, nil }

type forecaster interface {
	Forecast(ctx context.Context, in None) (None, error)
}

var literal = func(context.Context, None) (None, error) { return None{}, nil }

func TestDerivedName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fn           func(context.Context, None) (None, error)
		want, reason string
	}{
		{GetWeather, "get_weather", "a func"},
		{HTTPGet, "http_get", "an acronym"},
		{byValue{}.Forecast, "forecast", "a method value"},
		{(&byPointer{}).Measure, "measure", "a method value of a pointer"},
		{forecaster(byValue{}).Forecast, "forecast", "a method value of an interface"},
		{Identity[None], "identity", "an instance of a generic func"},
	} {
		if got := mustNew(t, test.fn).Info().Name; got != test.want {
			t.Errorf("got the name %q, want %q: %s", got, test.want, test.reason)
		}
	}
}

func TestNoDerivedName(t *testing.T) {
	t.Parallel()
	fnType := reflect.TypeOf(done)
	made, ok := reflect.MakeFunc(fnType, func([]reflect.Value) []reflect.Value { return nil }).Interface().(func(context.Context, None) (None, error))
	if !ok {
		t.Fatal("unexpected type from reflect.MakeFunc")
	}
	for _, test := range []struct {
		fn           func(context.Context, None) (None, error)
		want, reason string
	}{
		{literal, "the func is a literal", "a literal of the package"},
		{func(context.Context, None) (None, error) { return None{}, nil }, "the func is a literal", "a literal of a func"},
		{made, "the func is a literal", "a func made by reflect"},
		{Größe, `the name "größe" contains 'ö' (from the func's name)`, "Go allows more letters than clients do"},
	} {
		tool, err := mcptool.New(test.fn)
		t.Log(test.reason)
		wantMistakes(t, registerError(t, tool, err), test.want)
	}
}

func TestToolNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, tool, want string }{
		{"T-TOOL-02 one character", "a", ""},
		{"T-TOOL-02 all kinds of character", "Get.weather_v2-beta", ""},
		{"T-TOOL-02 longest", strings.Repeat("n", 64), ""},
		{"T-TOOL-02 empty", "", "the name is empty"},
		{"T-TOOL-02 too long", strings.Repeat("n", 65), "the name is 65 characters long"},
		{"T-TOOL-02 a space", "get weather", `contains ' '`},
		{"T-TOOL-02 a comma", "get,weather", `contains ','`},
		{"T-TOOL-02 a slash, which SEP-986 alone allows", "weather/get", `contains '/'`},
		{"T-TOOL-02 a letter outside ASCII", "wetter_größe", `contains 'ö'`},
		{"T-TOOL-02 a control character", "a\x7f", `contains '\x7f'`},
		{"T-TOOL-02 a byte that is not UTF-8", "a\xff", `contains '` + "\uFFFD" + `'`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tool, err := mcptool.New(done, mcptool.Name(test.tool))
			switch {
			case test.want != "":
				wantMistakes(t, registerError(t, tool, err), test.want)
			case err != nil:
				t.Errorf("%q is refused: %v; want no error", test.tool, err)
			case tool.Info().Name != test.tool:
				t.Errorf("name = %q, want %q", tool.Info().Name, test.tool)
			}
		})
	}
}
