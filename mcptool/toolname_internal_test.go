package mcptool

import "testing"

func TestBareFuncName(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ symbol, want, reason string }{
		{"main.GetWeather", "GetWeather", "func"},
		{"example.com/a/b.GetWeather", "GetWeather", "the path is removed"},
		{"example.com/a/b%2ev2.GetWeather", "GetWeather", "dots of the last path element are escaped"},
		{"gopkg.in/a.v3/b.GetWeather", "GetWeather", "dots of other path elements are not escaped"},
		{"main.(*Service).Forecast-fm", "Forecast", "a method value with a pointer receiver"},
		{"main.Service.Forecast-fm", "Forecast", "a method value with a value receiver"},
		{"main.Forecaster.Forecast-fm", "Forecast", "a method value of an interface"},
		{"main.Service[...].Forecast-fm", "Forecast", "a method value of a generic type"},
		{"main.Sum[...]", "Sum", "an instance of a generic func"},
		{"main.func1", "func1", "a func named func1"},
		{"main.main.func1", "", "a func literal"},
		{"main.init.func1", "", "a func literal of a package variable"},
		{"main.glob..func1", "", "a func literal of a package variable, from older compilers"},
		{"main.(*Service).Forecast.func2", "", "a func literal in a method"},
		{"main.Sum[...].func1", "", "a func literal in a generic func"},
		{"main.main.main.func4.main-range1.func7", "", "a func literal in a loop over a func"},
		{"main.main.mk.func5", "", "a func literal of an inlined func"},
		{"reflect.makeFuncStub", "", "a func of reflect.MakeFunc"},
	} {
		if got := bareFuncName(test.symbol); got != test.want {
			t.Errorf("bareFuncName(%q) = %q, want %q: %s", test.symbol, got, test.want, test.reason)
		}
	}
}

func TestToSnake(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, want, reason string }{
		{"GetWeather", "get_weather", "words start in upper case"},
		{"getWeather", "get_weather", "unexported func"},
		{"HTTPGet", "http_get", "acronym at the start"},
		{"GetHTTP", "get_http", "acronym at the end"},
		{"GetHTTPStatus", "get_http_status", "acronym inside"},
		{"ListURLs", "list_urls", "plural acronym at the end"},
		{"URLsToFetch", "urls_to_fetch", "plural acronym at the start"},
		{"GetHTTP2URL", "get_http2_url", "digits after an acronym"},
		{"GetV2", "get_v2", "digit after a letter"},
		{"ID", "id", "only an acronym"},
		{"A", "a", "one letter"},
		{"Get_Weather", "get_weather", "existing underscore"},
		{"get_weather", "get_weather", "already in snake case"},
		{"IsUp", "is_up", "short word that ends with s"},
		{"Größe", "größe", "non-ASCII letters, which the name check refuses"},
	} {
		if got := toSnake(test.name); got != test.want {
			t.Errorf("toSnake(%q) = %q, want %q: %s", test.name, got, test.want, test.reason)
		}
	}
}
