package main

import (
	_ "embed"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

//go:embed normals.csv
var normalsCSV string

// table reads normals.csv once. It fails only if the program was built with a
// broken table, which the tests detect.
var table = sync.OnceValues(func() ([]city, error) {
	return readNormals(strings.NewReader(normalsCSV))
})

// A city is one row of normals.csv.
type city struct {
	name, country, station, period, source string

	high, low     monthly // °C
	precipitation monthly // mm
}

// monthly has one figure per month, January first.
type monthly [12]float64

// A normal is the climate of one month or of the year.
type normal struct {
	high, low     float64 // °C
	precipitation float64 // mm in all
	months        int     // number of months in the total of precipitation
}

// month returns the climate of one month, 1 to 12.
func (c city) month(m int) normal {
	return normal{c.high[m-1], c.low[m-1], c.precipitation[m-1], 1}
}

// year returns the climate of the year. All months have the same weight, as is
// usual for climate normals.
func (c city) year() normal {
	return normal{c.high.total() / 12, c.low.total() / 12, c.precipitation.total(), 12}
}

// mean returns the temperature midway between high and low. The average of
// hourly readings, which some services use, differs by a few tenths.
func (n normal) mean() float64 { return (n.high + n.low) / 2 }

func (m monthly) total() float64 {
	sum := 0.0
	for _, v := range m {
		sum += v
	}
	return sum
}

// readNormals reads a table in the format of normals.csv.
func readNormals(r io.Reader) ([]city, error) {
	rows := csv.NewReader(r)
	rows.Comment = '#'
	if _, err := rows.Read(); err != nil { // column names
		return nil, fmt.Errorf("climate normals: %w", err)
	}
	rows.FieldsPerRecord = 8
	var cities []city
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return cities, nil
		}
		if err != nil {
			return nil, fmt.Errorf("climate normals: %w", err)
		}
		c := city{name: row[0], country: row[1], station: row[2], period: row[3], source: row[4]}
		var errs [3]error
		c.high, errs[0] = parseMonthly(row[5])
		c.low, errs[1] = parseMonthly(row[6])
		c.precipitation, errs[2] = parseMonthly(row[7])
		if err := errors.Join(errs[:]...); err != nil {
			return nil, fmt.Errorf("climate normals: %s: %w", c.name, err)
		}
		cities = append(cities, c)
	}
}

func parseMonthly(text string) (monthly, error) {
	var m monthly
	figures := strings.Fields(text)
	if len(figures) != len(m) {
		return m, fmt.Errorf("%d figures, want one for each of %d months", len(figures), len(m))
	}
	for i, figure := range figures {
		v, err := strconv.ParseFloat(figure, 64)
		if err != nil {
			return m, err
		}
		m[i] = v
	}
	return m, nil
}
