package tools

import (
	"embed"
	"encoding/json"
	"fmt"
)

// The descriptions of the tools.
const (
	WeatherDescription = "The weather of the next days at a place"
	OrdersDescription  = "Search the orders of a customer"
)

//go:embed schemas
var schemas embed.FS

// Schemas returns the schemas of a tool as this framework derives them from the types.
// They are stored in files so that servers of other libraries do not link this one.
func Schemas(tool string) (input, output json.RawMessage) {
	return schema(tool + ".input.json"), schema(tool + ".output.json")
}

func schema(file string) json.RawMessage {
	text, err := schemas.ReadFile("schemas/" + file)
	if err != nil {
		panic(fmt.Sprintf("impossible: an embedded file is missing: %v", err))
	}
	return text
}
