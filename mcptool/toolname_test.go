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
		if got := mustNew(t, test.fn).Name(); got != test.want {
			t.Errorf("got the name %q, want %q: %s", got, test.want, test.reason)
		}
	}
}

func TestNoDerivedName(t *testing.T) {
	t.Parallel()
	fnType := reflect.TypeOf(done)
	made, ok := reflect.MakeFunc(fnType, func([]reflect.Value) []reflect.Value { return nil }).Interface().(func(context.Context, None) (None, error))
	if !ok {
		t.Fatal("reflect.MakeFunc made another type")
	}
	for _, test := range []struct {
		fn           func(context.Context, None) (None, error)
		want, reason string
	}{
		{literal, "the func is a literal", "a literal of the package"},
		{func(context.Context, None) (None, error) { return None{}, nil }, "the func is a literal", "a literal of a func"},
		{made, "the func is a literal", "a func made by reflect"},
		{Größe, `the name "größe" holds 'ö', by the func's name`, "Go allows more letters than clients do"},
	} {
		tool, err := mcptool.New(test.fn)
		t.Log(test.reason)
		wantMistakes(t, registerError(t, tool, err), test.want)
	}
}

func TestToolNames(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want, reason string }{
		{"a", "", "one character is enough"},
		{"Get.weather_v2-beta", "", "all kinds of character"},
		{strings.Repeat("n", 64), "", "as long as can be"},
		{"", "the name is empty", "empty"},
		{strings.Repeat("n", 65), "the name is 65 characters long", "one longer"},
		{"get weather", `holds ' '`, "a space"},
		{"get,weather", `holds ','`, "a comma"},
		{"weather/get", `holds '/'`, "a slash, which SEP-986 alone allows"},
		{"wetter_größe", `holds 'ö'`, "a letter outside ASCII"},
		{"a\x7f", `holds '\x7f'`, "a control character"},
		{"a\xff", `holds '` + "\uFFFD" + `'`, "a byte that is not UTF-8"},
	} {
		tool, err := mcptool.New(done, mcptool.Name(test.name))
		switch {
		case test.want != "":
			t.Log(test.reason)
			wantMistakes(t, registerError(t, tool, err), test.want)
		case err != nil:
			t.Errorf("%q is refused: %v; want it taken: %s", test.name, err, test.reason)
		case tool.Name() != test.name:
			t.Errorf("got the name %q, want %q: %s", tool.Name(), test.name, test.reason)
		}
	}
}
