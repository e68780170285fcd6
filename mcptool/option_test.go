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

// Types that are described only by the option Types.
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

func echoRide(_ context.Context, in rideOrder) (rideOrder, error) { return in, nil }

func ridesOption() mcptool.Option {
	return mcptool.Types(
		reflectschema.WithUnion("kind", map[string]ride{"car": sedan{}, "bike": bicycle{}}),
		reflectschema.WithEnum[paintwork]("red", "blue"))
}

// TestTypes: two tools of one server describe the same types differently.
func TestTypes(t *testing.T) {
	t.Parallel()
	rental, err := mcptool.New(echoRide, mcptool.Name("rent"), ridesOption())
	if err != nil {
		t.Fatal(err)
	}
	race, err := mcptool.New(echoRide, mcptool.Name("race"),
		mcptool.Types(reflectschema.WithUnion("class", map[string]ride{"velo": bicycle{}})), mcptool.Types(reflectschema.WithEnum[paintwork]("green")))
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		tool *mcptool.Tool
		args string
		want string // in the error; "" if the result equals the arguments
	}{
		{"both members", rental, `{"vehicle":{"kind":"bike","gears":3},"paint":"red"}`, ""},
		{"another discriminator", race, `{"vehicle":{"class":"velo","gears":3},"paint":"green"}`, ""},
		{"of the second tool", race, `{"vehicle":{"kind":"bike","gears":3},"paint":"red"}`, `paint: must be one of "green"`},
		{"of the first tool", rental, `{"vehicle":{"class":"velo","gears":3},"paint":"green"}`, `paint: must be one of "red", "blue"`},
	}
	for _, test := range tests {
		result, err := test.tool.Call(t.Context(), []byte(test.args))
		switch {
		case test.want != "":
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: got %v, want an error with %q", test.name, err, test.want)
			}
		case err != nil:
			t.Errorf("%s: %v", test.name, err)
		default:
			if got := textOf(result, nil); got != test.args {
				t.Errorf("%s: got %s, want %s", test.name, got, test.args)
			}
		}
	}
	in := rideOrder{Vehicle: sedan{4}, Paint: "blue"}
	if out := mcptooltest.Call[rideOrder, rideOrder](t, rental, in); out != in {
		t.Errorf("mcptooltest.Call = %v", out)
	}
}

// TestTypesOfPromptsAndResources: the option also describes the arguments and contents of prompts and resources.
func TestTypesOfPromptsAndResources(t *testing.T) {
	t.Parallel()
	type in struct {
		Paint paintwork `json:"paint"`
	}
	prompt, err := mcptool.NewPrompt(func(_ context.Context, in in) (string, error) { return string(in.Paint), nil }, mcptool.Name("p"), ridesOption())
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
		}),
		mcptool.Types(reflectschema.WithTypeCodec(`{"type":"string","pattern":"^Z[0-9]$"}`,
			func(z *zone) ([]byte, error) { return fmt.Appendf(nil, `"Z%d"`, *z), nil },
			func(data []byte, z *zone) error { *z = zone(data[2] - '0'); return nil })))
	if err != nil {
		t.Fatal(err)
	}
	if got, _, err := complete(t.Context(), internals.Settings(internals.Runner(completing)).Completer, "row", "", map[string]string{"zone": "Z3"}); err != nil || got[0] != "III" {
		t.Errorf("the completion got %v, %v", got, err)
	}
	resource, err := mcptool.NewResource(func(_ context.Context, in in) (ride, error) { return bicycle{len(in.Paint)}, nil }, mcptool.Name("r"), mcptool.URI("paints://{paint}"), ridesOption())
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

// TestTypesMistakes: each mistake in the option is reported once, with the mistakes of the tool.
func TestTypesMistakes(t *testing.T) {
	t.Parallel()
	_, err := mcptool.New(echoRide, mcptool.Name("a b"), mcptool.Types(
		reflectschema.WithUnion("", map[string]ride{"car": sedan{}}), reflectschema.WithEnum[paintwork]("red", "red")))
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{`the name "a b"`, "the discriminator has no name", "is listed twice"} {
		if n := strings.Count(err.Error(), want); n != 1 {
			t.Errorf("%q is reported %d times in:\n%v", want, n, err)
		}
	}
}
