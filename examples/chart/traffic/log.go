package traffic

import (
	"hash/fnv"
	"time"
)

// logEnd is the end of the log, after a Sunday.
var logEnd = time.Date(2026, time.March, 30, 0, 0, 0, 0, time.UTC)

// busiest is the approximate number of requests to each section in the busiest hour.
var busiest = map[string]int{"search": 900, "products": 1400, "cart": 320, "account": 180}

// Load by hour of the day, and by day of the week from Sunday, in percent of the busiest hour.
var (
	byHour    = [24]int{14, 9, 6, 5, 6, 10, 19, 34, 52, 64, 69, 73, 78, 74, 68, 65, 67, 73, 84, 96, 100, 87, 58, 30}
	byWeekday = [7]int{82, 91, 88, 90, 94, 100, 97}
)

// An outage of the shop's cart.
var (
	outageBegin = time.Date(2026, time.March, 26, 9, 0, 0, 0, time.UTC)
	outageEnd   = time.Date(2026, time.March, 26, 15, 0, 0, 0, time.UTC)
)

// requestsIn returns the number of requests to a section in the hour that starts at a time. The log is invented, and
// deterministic.
func requestsIn(hour time.Time, section string) int {
	if section == "cart" && !hour.Before(outageBegin) && hour.Before(outageEnd) {
		return 0
	}
	chance := fnv.New32a()
	_, _ = chance.Write([]byte(section + hour.Format(time.RFC3339)))
	percent := 85 + int(chance.Sum32()>>8%31)
	return busiest[section] * byHour[hour.Hour()] * byWeekday[hour.Weekday()] * percent / 1_000_000
}
