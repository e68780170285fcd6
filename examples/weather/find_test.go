package main

import (
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ location, want, reason string }{
		{"Lisbon", "Lisbon", "the name"},
		{"lisbon", "Lisbon", "case does not matter"},
		{"  LISBON ,  portugal ", "Lisbon", "nor does space, and the country may follow"},
		{"Asunción", "Asunción", "with its accent"},
		{"Asuncion", "Asunción", "without"},
		{"Asuncio\u0301n", "Asunción", "with the accent as a letter of its own"},
		{"Krakow", "Kraków", "Polish"},
		{"Reykjavik", "Reykjavík", "Icelandic"},
		{"Ankara, Turkey", "Ankara", "the country's other name"},
		{"Ankara, Türkiye", "Ankara", "and its own"},
		{"London, UK", "London", "a usual abbreviation"},
		{"Chicago, Illinois, USA", "Chicago", "the country is what comes last"},
		{"Singapore", "Singapore", "a city and a country"},
		{"George", "George Town", "the first word, if one city begins with it"},
		{"San José, Costa Rica", "San José", "not San Juan"},
		{"san, puerto rico", "San Juan", "the country decides between two"},
	} {
		t.Run(tt.location, func(t *testing.T) {
			got, err := find(cities(t), tt.location)
			if err != nil {
				t.Fatalf("%s: %v", tt.reason, err)
			}
			if got.name != tt.want {
				t.Errorf("%s: found %s, want %s", tt.reason, got.name, tt.want)
			}
		})
	}
}

func TestFindEveryCity(t *testing.T) {
	t.Parallel()
	all := cities(t)
	for i, name := range names(all) {
		for _, location := range []string{name, all[i].name, strings.ToUpper(name), fold(all[i].name)} {
			if got, err := find(all, location); err != nil || got.name != all[i].name {
				t.Errorf("find(%q) is %q, %v", location, got.name, err)
			}
		}
	}
}

func TestFindErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ location, want, reason string }{
		{"Lisbn", `no climate normals for "Lisbn"; nearest names: Lisbon, Portugal; list_cities names the cities there are`, "a slip"},
		{"New Delhi", `no climate normals for "New Delhi"; nearest names: Delhi, India; New York, United States; list_cities names the cities there are`, "a word of it is known"},
		{"Atlantis", `no climate normals for "Atlantis"; list_cities names the cities there are`, "nothing near"},
		{"san", `"san" fits several cities; name one: San José, Costa Rica; San Juan, Puerto Rico`, "two begin with it"},
		{"Japan", `"Japan" is a country; name a city in it: Osaka, Japan; Tokyo, Japan`, "a country has no one climate"},
		{"Paris, Texas", `no climate normals for "Paris, Texas", only for Paris, France`, "another Paris"},
		{",", `no climate normals for ","; list_cities names the cities there are`, "no name"},
		{"東京", `no climate normals for "東京"; list_cities names the cities there are`, "a script the table does not use"},
	} {
		t.Run(tt.location, func(t *testing.T) {
			got, err := find(cities(t), tt.location)
			if err == nil {
				t.Fatalf("%s: found %s", tt.reason, got.name)
			}
			if err.Error() != tt.want {
				t.Errorf("%s:\n got %s\nwant %s", tt.reason, err, tt.want)
			}
		})
	}
}

// TestOtherNamesLead checks that every alternative name of a country leads to
// one in the table.
func TestOtherNamesLead(t *testing.T) {
	t.Parallel()
	all := cities(t)
	for other, usual := range otherNames {
		if other != fold(other) || !slices.ContainsFunc(all, func(c city) bool { return fold(c.country) == usual }) {
			t.Errorf("%q leads to %q, which is no country of the table, folded", other, usual)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"São Paulo", "sao paulo"},
		{"SAO-PAULO", "sao paulo"},
		{" sa\u0303o  paulo. ", "sao paulo"},
		{"İstanbul", "istanbul"},
		{"Ærøskøbing", "aeroskobing"},
		{"St. John's", "st johns"},
		{"Straße", "strasse"},
		{"", ""},
		{"—", ""},
	} {
		if got := fold(tt.in); got != tt.want {
			t.Errorf("fold(%q) is %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestEdits(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "rome", 4},
		{"rome", "", 4},
		{"rome", "rome", 0},
		{"rme", "rome", 1},
		{"roome", "rome", 1},
		{"rime", "rome", 1},
		{"kitten", "sitting", 3},
	} {
		if got := edits(tt.a, tt.b); got != tt.want {
			t.Errorf("edits(%q, %q) is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}
