// Command weather is a tool server for the climate of about eighty cities:
// averages over thirty years, published by weather services as climate normals.
// It is not a forecast and uses no network, so its answers are always the same.
package main

import (
	"context"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/stdio"
)

// WeatherIn holds the arguments of get_weather.
type WeatherIn struct {
	_        struct{} `mcp:"name=get_weather,title=Weather,readOnly,idempotent,openWorld=false" doc:"Climate at a place: averages over 30 years for a month or the year. Not a forecast."`
	Location string   `json:"location" jsonschema:"minLength=1,maxLength=80,example=Lisbon" doc:"City name, e.g. Lisbon, Portugal"`
	Unit     string   `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
	Month    int      `json:"month,omitempty" jsonschema:"minimum=1,maximum=12" doc:"Month of the year, 1 to 12; leave out for the whole year"`
}

// WeatherOut holds the result of get_weather.
type WeatherOut struct {
	Place         string  `json:"place"`
	Country       string  `json:"country"`
	When          string  `json:"when" doc:"Month the figures are for, or year"`
	Unit          string  `json:"unit" doc:"Of the three temperatures"`
	Temperature   float64 `json:"temperature" doc:"Midway between high and low"`
	High          float64 `json:"high" doc:"Average of the daily maximum"`
	Low           float64 `json:"low" doc:"Average of the daily minimum"`
	Precipitation float64 `json:"precipitation_mm" doc:"Average total of the month or the year"`
	Conditions    string  `json:"conditions" doc:"The figures in words"`
	Station       string  `json:"station" doc:"Where it was measured"`
	Period        string  `json:"period" doc:"Years averaged over"`
	Source        string  `json:"source" doc:"Who published the figures"`
	Note          string  `json:"note"`
}

// GetWeather returns the climate normals of a city.
func GetWeather(_ context.Context, in WeatherIn) (WeatherOut, error) {
	cities, err := table()
	if err != nil {
		return WeatherOut{}, err
	}
	city, err := find(cities, in.Location)
	if err != nil {
		return WeatherOut{}, err
	}
	return report(city, in.Month, in.Unit), nil
}

// CitiesIn holds the arguments of list_cities.
type CitiesIn struct {
	_       struct{} `mcp:"name=list_cities,title=Cities,readOnly,idempotent,openWorld=false" doc:"The cities get_weather knows"`
	Country string   `json:"country,omitempty" jsonschema:"maxLength=80" doc:"Only the cities of this country; leave out for all"`
}

// CitiesOut holds the result of list_cities.
type CitiesOut struct {
	Cities []string `json:"cities" doc:"As get_weather takes them: city, country"`
}

// ListCities returns the names that GetWeather accepts.
func ListCities(_ context.Context, in CitiesIn) (CitiesOut, error) {
	cities, err := table()
	if err != nil {
		return CitiesOut{}, err
	}
	if in.Country != "" {
		cities = inCountry(cities, fold(in.Country))
	}
	return CitiesOut{Cities: names(cities)}, nil
}

func main() {
	mcptool.Register(GetWeather)
	mcptool.Register(ListCities)
	stdio.Main(nil)
}
