package mcptool

import (
	"reflect"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// TestTruncateMistakes: truncate on fields that cannot be shortened is a mistake. All are reported at once.
func TestTruncateMistakes(t *testing.T) {
	t.Parallel()
	type inner struct {
		Bytes []byte `json:"bytes" mcp:"truncate"`
	}
	type wrong struct {
		Text   string         `json:"text" mcp:"truncate"`
		Array  [3]int         `json:"array" mcp:"truncate"`
		Map    map[string]int `json:"map" mcp:"truncate"`
		Any    any            `json:"any" mcp:"truncate"`
		Exact  []int          `json:"exact" mcp:"truncate" jsonschema:"minItems=2,maxItems=2"`
		Typo   []int          `json:"typo" mcp:"trunkate"`
		Other  []int          `json:"other" mcp:"name=x"`
		Below  []inner        `json:"below"`
		Right  []int          `json:"right" mcp:"truncate"`
		Behind *[]int         `json:"behind,omitempty" mcp:"truncate"`
	}
	const list = "only lists can be truncated, and "
	for _, test := range []struct {
		direction reflectschema.Direction
		want      map[string]string // by field
		reason    string
	}{
		{reflectschema.DirectionOutput, map[string]string{
			"Text": list + "string is not a list", "Array": list + "[3]int is not a list", "Map": list + "map[string]int is not a list", "Any": list + "interface {} is not a list",
			"Exact": "a list of exactly 2 elements cannot be shorter", "Typo": `"trunkate" has no meaning on this field`,
			"Other": "the mcp tag of a tool is only allowed on a blank field", "Bytes": list + "[]uint8 is not a list",
		}, "of an output, what is no list that may be shorter"},
		{reflectschema.DirectionInput, map[string]string{
			"Text": "this is an argument", "Array": "this is an argument", "Map": "this is an argument", "Any": "this is an argument", "Exact": "this is an argument",
			"Typo": `"trunkate" has no meaning on this field`, "Other": "the mcp tag of a tool is only allowed on a blank field", "Bytes": "this is an argument",
			"Right": "this is an argument", "Behind": "this is an argument",
		}, "of an input, all"},
	} {
		made, err := reflectschema.Compile(reflect.TypeFor[wrong](), test.direction)
		if err != nil {
			t.Fatal(err)
		}
		lists, err := schemas.Shortener(made, checkTruncate)
		found := schemas.TypeMistakes(err)
		if lists != nil || len(found) != len(test.want) {
			t.Fatalf("%v, %v; want %d mistakes: %s", lists, err, len(test.want), test.reason)
		}
		for _, e := range found {
			if want := test.want[e.Field]; want == "" || !strings.Contains(e.Reason, want) || e.Fix == "" || !strings.HasPrefix(e.Tag, `mcp:"`) {
				t.Errorf("%v, want %s: %s", e, want, test.reason)
			}
		}
	}
}
