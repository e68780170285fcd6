// Package datetime has a day and a duration that are text in JSON, for fields of arguments and results:
//
//	type BookRoomIn struct {
//		Day datetime.Date     `json:"day" jsonschema:"minimum=2026-01-01"`
//		For datetime.Duration `json:"for" jsonschema:"minimum=15m,maximum=8h"`
//	}
//
// Package reflectschema describes them with a format or a pattern, adds the bounds to the description, and checks them.
// Use time.Time for a time with a zone.
package datetime
