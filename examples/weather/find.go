package main

import (
	"fmt"
	"slices"
	"strings"
)

// find returns the city named by location: its name, optionally followed by a
// comma and the country. Case, accents and punctuation do not matter, and the
// first words of a name suffice if they match only one city. If location
// matches no city, or several, the error suggests alternatives.
func find(cities []city, location string) (city, error) {
	parts := strings.Split(location, ",")
	name := fold(parts[0])
	matches := named(cities, name)
	if len(matches) == 0 {
		if there := inCountry(cities, name); len(there) > 0 {
			return city{}, fmt.Errorf("%q is a country; name a city in it: %s", location, list(there))
		}
		return city{}, unknown(cities, location)
	}
	if len(parts) > 1 {
		elsewhere := matches
		matches = inCountry(matches, fold(parts[len(parts)-1]))
		if len(matches) == 0 {
			return city{}, fmt.Errorf("no climate normals for %q, only for %s", location, list(elsewhere))
		}
	}
	if len(matches) > 1 {
		return city{}, fmt.Errorf("%q fits several cities; name one: %s", location, list(matches))
	}
	return matches[0], nil
}

// named returns the cities with that folded name or, if there are none, those
// with names that start with it.
func named(cities []city, name string) []city {
	if name == "" {
		return nil
	}
	if same := having(cities, func(c city) bool { return fold(c.name) == name }); len(same) > 0 {
		return same
	}
	return having(cities, func(c city) bool { return strings.HasPrefix(fold(c.name), name+" ") })
}

// otherNames maps folded alternative names of countries to those in the table.
var otherNames = map[string]string{
	"czech republic":           "czechia",
	"england":                  "united kingdom",
	"great britain":            "united kingdom",
	"korea":                    "south korea",
	"turkey":                   "turkiye",
	"uae":                      "united arab emirates",
	"uk":                       "united kingdom",
	"us":                       "united states",
	"usa":                      "united states",
	"united states of america": "united states",
}

// inCountry returns the cities in the country with that folded name.
func inCountry(cities []city, country string) []city {
	if usual, ok := otherNames[country]; ok {
		country = usual
	}
	return having(cities, func(c city) bool { return fold(c.country) == country })
}

func having(cities []city, ok func(city) bool) []city {
	return slices.DeleteFunc(slices.Clone(cities), func(c city) bool { return !ok(c) })
}

// unknown returns an error for an unknown location, with the nearest names.
func unknown(cities []city, location string) error {
	const help = "list_cities names the cities there are"
	if near := nearest(cities, location, 3); len(near) > 0 {
		return fmt.Errorf("no climate normals for %q; nearest names: %s; %s", location, list(near), help)
	}
	return fmt.Errorf("no climate normals for %q; %s", location, help)
}

// names returns each city in the form for find: city, country.
func names(cities []city) []string {
	out := make([]string, len(cities))
	for i, c := range cities {
		out[i] = c.name + ", " + c.country
	}
	return out
}

func list(cities []city) string { return strings.Join(names(cities), "; ") }
