package tools

import "context"

// A WeatherIn holds the arguments of get_weather: about 50 bytes of JSON.
type WeatherIn struct {
	Location string `json:"location" jsonschema:"minLength=1,maxLength=80" doc:"City name, e.g. Lisbon"`
	Unit     string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit"`
	Days     int    `json:"days" jsonschema:"minimum=1,maximum=14" doc:"Days to look ahead"`
}

// A WeatherOut holds the result of get_weather: about 210 bytes of JSON.
type WeatherOut struct {
	Location   string  `json:"location"`
	Conditions string  `json:"conditions" jsonschema:"enum=sunny,enum=cloudy,enum=rain"`
	Humidity   float64 `json:"humidity" jsonschema:"minimum=0,maximum=1"`
	Stale      bool    `json:"stale"`
	Days       []Day   `json:"days" jsonschema:"maxItems=14"`
}

// A Day is one day of a WeatherOut.
type Day struct {
	Day  string  `json:"day"`
	High float64 `json:"high" jsonschema:"minimum=-90,maximum=90"`
	Low  float64 `json:"low" jsonschema:"minimum=-90,maximum=90"`
}

var days = []Day{
	{"2026-11-20", 21.5, 12.25},
	{"2026-11-21", 22.5, 11.25},
	{"2026-11-22", 19.25, 10.5},
}

// GetWeather is the small tool.
func GetWeather(_ context.Context, in WeatherIn) (WeatherOut, error) {
	return WeatherOut{Location: in.Location, Conditions: "sunny", Humidity: 0.63, Days: days[:min(in.Days, len(days))]}, nil
}
