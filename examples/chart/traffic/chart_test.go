package traffic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/examples/chart/traffic"
)

// TestCount checks that the requests of a day are the sum of its hours.
func TestCount(t *testing.T) {
	t.Parallel()
	sections := []string{"search", "cart", "search"}
	day, hour := traffic.Count(sections, 7, "day"), traffic.Count(sections, 7, "hour")
	if len(day.Times) != 7 || len(hour.Times) != 7*24 || len(day.Series) != 2 {
		t.Fatalf("%d days, %d hours, %d series", len(day.Times), len(hour.Times), len(day.Series))
	}
	for i, series := range day.Series {
		for j, hours := range slices.Collect(slices.Chunk(hour.Series[i].Values, 24)) {
			sum := 0
			for _, value := range hours {
				sum += value
			}
			if sum == 0 || sum != series.Values[j] {
				t.Errorf("%s on %s: %d per day, %d in its hours", series.Name, day.Times[j], series.Values[j], sum)
			}
		}
	}
}

func TestChartString(t *testing.T) {
	t.Parallel()
	got := traffic.Count([]string{"cart"}, 7, "hour").String()
	for _, want := range []string{"Requests per hour, 7 days to 29 March 2026 (UTC):\n- cart: ", "least on Thu 26 Mar 09:00 (0)"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q does not contain %q", got, want)
		}
	}
}
