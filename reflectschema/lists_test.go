package reflectschema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// onlyLists accepts the tag truncate on every list.
func onlyLists(f private.TaggedField) (reason, fix string) {
	if f.Tag != "truncate" || !f.IsList {
		return "no list", "drop the tag"
	}
	return "", ""
}

// TestTaggedFields: Shortener passes each field with an mcp tag to the check, and reports all its refusals at once.
func TestTaggedFields(t *testing.T) {
	t.Parallel()
	type inner struct {
		Bytes []byte `json:"bytes" mcp:"a"`
	}
	type tagged struct {
		Text   string  `json:"text" mcp:"b"`
		Exact  []int   `json:"exact" mcp:"c" jsonschema:"minItems=2,maxItems=3"`
		Below  []inner `json:"below"`
		Behind *[]int  `json:"behind,omitempty" mcp:"d"`
	}
	var seen []private.TaggedField
	shorten, err := outputOf[tagged](t).Shortener(func(f private.TaggedField) (reason, fix string) {
		seen = append(seen, f)
		return "refused " + f.Tag, "drop it"
	})
	want := []private.TaggedField{
		{Tag: "b", Type: "string", MaxItems: -1},
		{Tag: "c", Type: "[]int", IsList: true, MinItems: 2, MaxItems: 3},
		{Tag: "a", Type: "[]uint8", MaxItems: -1},
		{Tag: "d", Type: "*[]int", IsList: true, MaxItems: -1},
	}
	if !slices.Equal(seen, want) {
		t.Errorf("seen:\n got %+v\nwant %+v", seen, want)
	}
	found := reflectschema.TypeMistakes(err)
	if shorten != nil || len(found) != len(want) {
		t.Fatalf("%v, %v; want %d mistakes", shorten != nil, err, len(want))
	}
	for _, e := range found {
		if !strings.HasPrefix(e.Reason, "refused ") || e.Fix != "drop it" || !strings.HasPrefix(e.Tag, `mcp:"`) {
			t.Errorf("%+v", e)
		}
	}
}

// TestNoLists: a type without the tag has no lists to shorten.
func TestNoLists(t *testing.T) {
	t.Parallel()
	type plain struct {
		_     struct{} `doc:"Some"`
		Items []int
	}
	if shorten, err := outputOf[plain](t).Shortener(onlyLists); shorten != nil || err != nil {
		t.Errorf("%v, %v", shorten != nil, err)
	}
}
