package mcptool

import "testing"

func TestBareFuncName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ symbol, want, reason string }{
		{"main.GetWeather", "GetWeather", "a plain func"},
		{"example.com/a/b.GetWeather", "GetWeather", "the path goes"},
		{"example.com/a/b%2ev2.GetWeather", "GetWeather", "dots of the last path element are escaped"},
		{"gopkg.in/a.v3/b.GetWeather", "GetWeather", "dots of other path elements are not"},
		{"main.(*Service).Forecast-fm", "Forecast", "a method value with a pointer receiver"},
		{"main.Service.Forecast-fm", "Forecast", "a method value with a value receiver"},
		{"main.Forecaster.Forecast-fm", "Forecast", "a method value of an interface"},
		{"main.Service[...].Forecast-fm", "Forecast", "a method value of a generic type"},
		{"main.Sum[...]", "Sum", "an instance of a generic func"},
		{"main.func1", "func1", "a func may be called that"},
		{"main.main.func1", "", "a func literal"},
		{"main.init.func1", "", "a func literal of a package variable"},
		{"main.glob..func1", "", "the same, by older compilers"},
		{"main.(*Service).Forecast.func2", "", "a func literal in a method"},
		{"main.Sum[...].func1", "", "a func literal in a generic func"},
		{"main.main.main.func4.main-range1.func7", "", "a func literal in a loop over a func"},
		{"main.main.mk.func5", "", "a func literal of an inlined func"},
		{"reflect.makeFuncStub", "", "every func that reflect makes has this name"},
	} {
		if got := bareFuncName(test.symbol); got != test.want {
			t.Errorf("bareFuncName(%q) = %q, want %q: %s", test.symbol, got, test.want, test.reason)
		}
	}
}

func TestToSnake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want, reason string }{
		{"GetWeather", "get_weather", "each word starts upper case"},
		{"getWeather", "get_weather", "funcs need not be exported"},
		{"HTTPGet", "http_get", "an acronym ends before the next word"},
		{"GetHTTP", "get_http", "an acronym may end the name"},
		{"GetHTTPStatus", "get_http_status", "or stand inside"},
		{"ListURLs", "list_urls", "the s of a plural starts no word"},
		{"URLsToFetch", "urls_to_fetch", "nor does it inside the name"},
		{"GetHTTP2URL", "get_http2_url", "digits belong to the word before"},
		{"GetV2", "get_v2", "and to a single letter"},
		{"ID", "id", "an acronym alone"},
		{"A", "a", "one letter"},
		{"Get_Weather", "get_weather", "an underscore is there already"},
		{"get_weather", "get_weather", "nothing to do"},
		{"IsUp", "is_up", "a short word of lower case s"},
		{"Größe", "größe", "what is not ASCII is left for the check of names"},
	} {
		if got := toSnake(test.name); got != test.want {
			t.Errorf("toSnake(%q) = %q, want %q: %s", test.name, got, test.want, test.reason)
		}
	}
}
