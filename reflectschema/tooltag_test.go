package reflectschema_test

import (
	"maps"
	"reflect"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestToolTags: CheckToolTags reports every mcp tag on a field that is in the JSON, in arguments and in results. Compile
// accepts them.
func TestToolTags(t *testing.T) {
	t.Parallel()
	type inner struct {
		Bytes []byte `json:"bytes" mcp:"name=x"`
	}
	type tagged struct {
		Text   string           `json:"text" mcp:"truncat"`
		Exact  []int            `json:"exact" mcp:"truncate" jsonschema:"minItems=2,maxItems=3"`
		Below  map[string]inner `json:"below"`
		Behind *[]int           `json:"behind,omitempty" mcp:"truncate"`
		Plain  []int            `json:"plain"`
	}
	const (
		elsewhere = "the mcp tag of a tool is only allowed on a blank field; write it on a field _ struct{} of the argument struct"
		truncate  = "no tag truncates a list; remove it, and use package extension/results for results that are too large"
	)
	want := map[string]string{
		"text": "`mcp:\"truncat\"`: " + elsewhere, "exact": "`mcp:\"truncate\"`: " + truncate,
		"below{}.bytes": "`mcp:\"name=x\"`: " + elsewhere, "behind": "`mcp:\"truncate\"`: " + truncate,
	}
	for _, direction := range []reflectschema.Direction{reflectschema.DirectionInput, reflectschema.DirectionOutput} {
		compiled, err := reflectschema.Compile(reflect.TypeFor[tagged](), direction)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		for _, m := range reflectschema.TypeMistakes(compiled.CheckToolTags()) {
			got[m.Path] = "`" + m.Tag + "`: " + m.Reason + "; " + m.Fix
		}
		if !maps.Equal(got, want) {
			t.Errorf("direction %d:\n got %q\nwant %q", direction, got, want)
		}
	}
}

// TestNoToolTags: a type without misplaced mcp tags has no mistakes.
func TestNoToolTags(t *testing.T) {
	t.Parallel()
	type plain struct {
		_     struct{} `doc:"Some"`
		Items []int
	}
	compiled, err := reflectschema.Compile(reflect.TypeFor[plain](), reflectschema.DirectionOutput)
	if err != nil {
		t.Fatal(err)
	}
	if err := compiled.CheckToolTags(); err != nil {
		t.Error(err)
	}
}
