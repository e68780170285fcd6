package mcptool_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

type BookRoomIn struct {
	Day datetime.Date     `json:"day" jsonschema:"minimum=2026-01-01"`
	For datetime.Duration `json:"for" jsonschema:"minimum=15m,maximum=8h"`
}

func BookRoom(_ context.Context, in BookRoomIn) (string, error) {
	start := in.Day.In(time.UTC).Add(9 * time.Hour)
	end := start.Add(time.Duration(in.For))
	return fmt.Sprintf("%s to %s", start.Format(time.DateTime), end.Format(time.TimeOnly)), nil
}

// A day and a duration are texts with bounds, which the errors and the description explain.
func ExampleDuration() {
	tool, err := mcptool.New(BookRoom)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(tool.InputSchema())
	for _, args := range []string{
		`{"day":"2026-05-04","for":"1h30m"}`,
		`{"day":"2026-02-30","for":"1d"}`,
		`{"day":"2025-12-31","for":"9h"}`,
	} {
		result, err := tool.Call(context.Background(), []byte(args))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s\n", result.Structured)
	}
	// Output:
	// {"type":"object","properties":{"day":{"description":"Date as YYYY-MM-DD (at least 2026-01-01)","type":"string","format":"date"},"for":{"description":"Duration such as 1h30m (at least 15m, at most 8h)","type":"string","pattern":"^-?([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+$"}},"required":["day","for"],"additionalProperties":false}
	// "2026-05-04 09:00:00 to 10:30:00"
	// book_room: invalid arguments
	// day: must have the format date, such as "2026-01-31", got "2026-02-30", whose month has no day 30
	// for: must be a duration such as 1h30m, of numbers with the units h, m, s or ms; a day is 24h, got "1d"
	// Example: {"day":"2026-01-31","for":"1h30m"}
	// book_room: invalid arguments
	// day: must be at least 2026-01-01, got "2025-12-31"
	// for: must be at most 8h, got "9h"
	// Example: {"day":"2026-01-31","for":"1h30m"}
}
