package mcptool_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/mcptool/mcptooltest"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Types with registrations.
type (
	ride  interface{ isRide() }
	sedan struct {
		Doors int `json:"doors"`
	}
	bicycle struct {
		Gears int `json:"gears"`
	}
	paintwork string
	zone      uint8
	rideOrder struct {
		Vehicle ride      `json:"vehicle"`
		Paint   paintwork `json:"paint"`
	}
)

func (sedan) isRide()   {}
func (bicycle) isRide() {}

func init() {
	reflectschema.RegisterUnion("kind", map[string]ride{"car": sedan{}, "bike": bicycle{}})
	reflectschema.RegisterEnum[paintwork]("red", "blue")
	reflectschema.RegisterCodec(`{"type":"string","pattern":"^Z[0-9]$"}`,
		func(z *zone) ([]byte, error) { return fmt.Appendf(nil, `"Z%d"`, *z), nil },
		func(data []byte, z *zone) error { *z = zone(data[2] - '0'); return nil })
}

// TestRegisteredTypes: the JSON of registered types is the same for tools and for the test kit.
func TestRegisteredTypes(t *testing.T) {
	t.Parallel()
	tool := mustNew(t, func(_ context.Context, in rideOrder) (rideOrder, error) { return in, nil }, mcptool.Name("rent"))
	const args = `{"vehicle":{"kind":"bike","gears":3},"paint":"red"}`
	if result, err := tool.Call(t.Context(), []byte(args)); err != nil || textOf(result, nil) != args {
		t.Errorf("got %+v, %v, want %s", result, err, args)
	}
	in := rideOrder{Vehicle: sedan{4}, Paint: "blue"}
	if out := mcptooltest.Call[rideOrder, rideOrder](t, tool, in); out != in {
		t.Errorf("mcptooltest.Call = %v", out)
	}
}

// TestRegisteredInPromptsAndResources: registrations also describe the arguments and contents of prompts and resources.
func TestRegisteredInPromptsAndResources(t *testing.T) {
	t.Parallel()
	type in struct {
		Paint paintwork `json:"paint"`
	}
	prompt, err := mcptool.NewPrompt(func(_ context.Context, in in) (string, error) { return string(in.Paint), nil }, mcptool.Name("p"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := prompt.Get(t.Context(), map[string]string{"paint": "green"}); err == nil {
		t.Error("the prompt accepts another value")
	}
	type seat struct {
		Zone zone   `json:"zone"`
		Row  string `json:"row,omitempty"`
	}
	completing, err := mcptool.NewPrompt(func(context.Context, *seat) (string, error) { return "", nil }, mcptool.Name("c"),
		mcptool.Complete("row", func(_ context.Context, _ string, in *seat) ([]string, error) {
			return []string{strings.Repeat("I", int(in.Zone))}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := complete(t.Context(), internals.Settings(internals.Runner(completing)).Completer, "row", "", map[string]string{"zone": "Z3"}); err != nil || got[0] != "III" {
		t.Errorf("the completion got %v, %v", got, err)
	}
	resource, err := mcptool.NewResource(func(_ context.Context, in in) (ride, error) { return bicycle{len(in.Paint)}, nil }, mcptool.Name("r"), mcptool.URI("paints://{paint}"))
	if err != nil {
		t.Fatal(err)
	}
	contents, err := resource.Read(t.Context(), "paints://red")
	if err != nil || contents[0].Text != `{"kind":"bike","gears":3}` {
		t.Errorf("the contents are %v, %v", contents, err)
	}
	if _, err := resource.Read(t.Context(), "paints://green"); err == nil {
		t.Error("the resource accepts another value")
	}
}
