package main

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/mcptool"
)

// RegionIn has an argument that is visible to proxies.
type RegionIn struct {
	Region string `json:"region,omitempty" jsonschema:"x-mcp-header=Region" doc:"Where to"`
}

// everyKeyword is a schema that must reach the client unchanged.
const everyKeyword = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
 "$defs":{"address":{"$anchor":"addressDef","type":"object",
   "properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
 "properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
   "contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
 "allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
 "if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
 "then":{"required":["phone"]},"else":{"required":["email"]},
 "additionalProperties":false}`

// schemaTools returns tools with special input schemas.
func schemaTools() mcptool.Tools {
	raw, err := mcptool.NewRaw("json_schema_2020_12_tool", json.RawMessage(everyKeyword),
		func(_ context.Context, args json.RawMessage) (*mcptool.Result, error) {
			return &mcptool.Result{Content: []mcptool.Content{mcptool.Text{Text: "Valid: " + string(args)}}}, nil
		}, mcptool.Description("Take arguments that a schema written by hand describes"))
	must(err)
	mirrored := define("test_x_mcp_header", "Take an argument that is also sent as a header",
		func(_ context.Context, in RegionIn) (mcptool.Text, error) {
			return mcptool.Text{Text: "Region: " + in.Region}, nil
		})
	return mcptool.Tools{raw, mirrored}
}
