package main

import (
	"math"
	"time"
)

const note = "Climate normals: averages over 30 years of measurements. Not a forecast, and not the weather of today."

// report returns the climate of a city as a result: of the month, 1 to 12, or
// of the year if month is 0.
func report(c city, month int, unit string) WeatherOut {
	n, when := c.year(), "year"
	if month != 0 {
		n, when = c.month(month), time.Month(month).String()
	}
	return WeatherOut{
		Place:         c.name,
		Country:       c.country,
		When:          when,
		Unit:          unit,
		Temperature:   temperature(n.mean(), unit),
		High:          temperature(n.high, unit),
		Low:           temperature(n.low, unit),
		Precipitation: n.precipitation,
		Conditions:    conditions(n),
		Station:       c.station,
		Period:        c.period,
		Source:        c.source,
		Note:          note,
	}
}

// temperature converts from °C and rounds to a tenth of a degree, the precision
// of the table.
func temperature(celsius float64, unit string) float64 {
	degrees := celsius
	if unit == "fahrenheit" {
		degrees = celsius*9/5 + 32
	}
	return math.Round(degrees*10) / 10
}
