package tools

import "context"

// The digits in the type arguments of [ManyIn] and [ManyOut].
type (
	// D0 is a digit.
	D0 struct{}
	// D1 is a digit.
	D1 struct{}
	// D2 is a digit.
	D2 struct{}
	// D3 is a digit.
	D3 struct{}
	// D4 is a digit.
	D4 struct{}
	// D5 is a digit.
	D5 struct{}
	// D6 is a digit.
	D6 struct{}
	// D7 is a digit.
	D7 struct{}
	// D8 is a digit.
	D8 struct{}
	// D9 is a digit.
	D9 struct{}
)

// A ManyIn is the input of one of many tools. Each of a thousand tools has its own
// types, as in a real server: H, T and U are the hundreds, tens and units digits of its
// number. The tags are descriptions, which all libraries interpret the same way.
type ManyIn[H, T, U any] struct {
	Location string   `json:"location" jsonschema:"City name, e.g. Lisbon"`
	Unit     string   `json:"unit,omitempty" jsonschema:"Unit of the temperatures"`
	Days     int      `json:"days" jsonschema:"Days to look ahead"`
	Tags     []string `json:"tags,omitempty" jsonschema:"What else to look for"`
}

// A ManyOut is the output of one of many tools.
type ManyOut[H, T, U any] struct {
	Location   string  `json:"location" jsonschema:"The place found"`
	Conditions string  `json:"conditions" jsonschema:"In a word"`
	Humidity   float64 `json:"humidity" jsonschema:"From 0 to 1"`
	Stale      bool    `json:"stale" jsonschema:"Whether the source was silent"`
}

// Many is the function of one of many tools.
func Many[H, T, U any](_ context.Context, in ManyIn[H, T, U]) (ManyOut[H, T, U], error) {
	return ManyOut[H, T, U]{Location: in.Location, Conditions: "sunny", Humidity: 0.63}, nil
}

// ManyDescription describes each of many tools.
const ManyDescription = "One of many tools: the weather at a place, as a station of its own measures it"
