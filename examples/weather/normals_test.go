package main

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func cities(t *testing.T) []city {
	t.Helper()
	all, err := table()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestTableIsComplete(t *testing.T) {
	t.Parallel()
	all := cities(t)
	if len(all) < 40 {
		t.Errorf("%d cities, want 40 at least", len(all))
	}
	seen := make(map[string]bool)
	for _, c := range all {
		for what, text := range map[string]string{
			"name": c.name, "country": c.country, "station": c.station, "source": c.source,
		} {
			if text == "" || text != strings.TrimSpace(text) {
				t.Errorf("%s: %s is %q", c.name, what, text)
			}
		}
		if c.period != "1991–2020" && c.period != "1981–2010" {
			t.Errorf("%s: period %q is no standard period of 30 years", c.name, c.period)
		}
		if fromWMO := strings.HasSuffix(c.source, " via WMO normals"); fromWMO && c.period != "1991–2020" {
			t.Errorf("%s: WMO's table is of 1991–2020, this row says %s", c.name, c.period)
		}
		if key := fold(c.name); seen[key] {
			t.Errorf("%s is in the table twice", c.name)
		} else {
			seen[key] = true
		}
	}
	if !slices.IsSortedFunc(all, func(a, b city) int { return strings.Compare(fold(a.name), fold(b.name)) }) {
		t.Error("the table is not sorted by city")
	}
}

// southern are the cities of the southern hemisphere with distinct seasons.
var southern = []string{
	"Antananarivo", "Asunción", "Auckland", "Brasília", "Cape Town", "Montevideo", "Santiago", "Sydney",
}

func TestFiguresArePlausible(t *testing.T) {
	t.Parallel()
	const january, july = 0, 6
	for _, c := range cities(t) {
		for m := range 12 {
			high, low, rain := c.high[m], c.low[m], c.precipitation[m]
			if high > 50 || low < -50 {
				t.Errorf("%s, month %d: %v to %v °C was never normal in a city", c.name, m+1, low, high)
			}
			if span := high - low; span < 2 || span > 20 {
				t.Errorf("%s, month %d: high %v and low %v are %.1f °C apart", c.name, m+1, high, low, span)
			}
			if rain < 0 || rain > 1000 || rain != math.Trunc(rain) {
				t.Errorf("%s, month %d: %v mm of precipitation", c.name, m+1, rain)
			}
			if step := math.Abs(c.high[m] - c.high[(m+1)%12]); step > 10 {
				t.Errorf("%s: high changes by %.1f °C from month %d to the next", c.name, step, m+1)
			}
		}
		warmer := c.month(july+1).mean() - c.month(january+1).mean()
		if slices.Contains(southern, c.name) {
			warmer = -warmer
		} else if seasons := slices.Max(c.high[:]) - slices.Min(c.high[:]); seasons < 6 {
			continue // in the tropics, July may be the cooler month because of the rain
		}
		if warmer <= 0 {
			t.Errorf("%s: its summer is %.1f °C warmer than its winter", c.name, warmer)
		}
	}
}

// TestAnnualTotals compares rows with independently published annual figures,
// which reveal an error in a month.
func TestAnnualTotals(t *testing.T) {
	t.Parallel()
	const rounding = 12 * 0.5 // twelve months, each rounded to a millimetre
	for _, tt := range []struct {
		city          string
		precipitation float64
	}{
		{"Auckland", 1118.9},
		{"Berlin", 532.3},
		{"Cairo", 24.8},
		{"Casablanca", 408.2},
		{"Chicago", 874.6},
		{"Dubai", 79.1},
		{"Dublin", 772.5},
		{"Hong Kong", 2431.2},
		{"Kuala Lumpur", 2847.1},
		{"Kuching", 4232.9},
		{"Lagos", 1703.3},
		{"London", 615.4},
		{"Manila", 2259.1},
		{"New York", 49.52 * 25.4},
		{"Phoenix", 183.5},
		{"Riyadh", 107.5},
		{"Santiago", 286.3},
		{"Seattle", 999.3},
		{"Singapore", 2113.3},
		{"Sydney", 1148.1},
		{"Tokyo", 1598.2},
		{"Toronto", 831.1},
	} {
		t.Run(tt.city, func(t *testing.T) {
			c, err := find(cities(t), tt.city)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.year().precipitation; math.Abs(got-tt.precipitation) > rounding {
				t.Errorf("%v mm a year, published are %.1f", got, tt.precipitation)
			}
		})
	}
}

func TestYear(t *testing.T) {
	t.Parallel()
	c := city{
		high:          monthly{2, 4, 6, 8, 10, 12, 14, 12, 10, 8, 6, 4},
		low:           monthly{-2, 0, 2, 4, 6, 8, 10, 8, 6, 4, 2, 0},
		precipitation: monthly{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	}
	if got, want := c.year(), (normal{high: 8, low: 4, precipitation: 78, months: 12}); got != want {
		t.Errorf("year: %+v, want %+v", got, want)
	}
	if got, want := c.month(7), (normal{high: 14, low: 10, precipitation: 7, months: 1}); got != want {
		t.Errorf("July: %+v, want %+v", got, want)
	}
	if got := c.month(7).mean(); got != 12 {
		t.Errorf("mean of July: %v, want 12", got)
	}
}

func TestReadNormalsRefuses(t *testing.T) {
	t.Parallel()
	const head = "city,country,station,period,source,high,low,precipitation\n"
	const twelve = "1 2 3 4 5 6 7 8 9 10 11 12"
	for _, tt := range []struct{ name, reason, table, want string }{
		{"empty", "no table at all", "", "EOF"},
		{"eleven months", "a figure is missing", head + "X,Y,Z,P,S," + twelve + ",1 2 3 4 5 6 7 8 9 10 11," + twelve, "X: 11 figures"},
		{"a word", "a figure is no number", head + "X,Y,Z,P,S," + twelve + "," + twelve + ",1 2 3 4 5 6 7 8 9 10 11 wet", `"wet"`},
		{"a column short", "the row has no precipitation", head + "X,Y,Z,P,S," + twelve + "," + twelve, "wrong number of fields"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := readNormals(strings.NewReader(tt.table))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%s: error is %v, want one with %q", tt.reason, err, tt.want)
			}
		})
	}
}
