package tag

import (
	"slices"
	"testing"

	"github.com/invopop/jsonschema"

	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// TestShapeNames: the types that a keyword applies to have a name, for doc.go and for mistakes.
func TestShapeNames(t *testing.T) {
	t.Parallel()
	for _, k := range Keywords {
		if k.On.String() == "" {
			t.Errorf("%s applies to types without a name: add them to shapeNames in keyword.go", k.Name)
		}
	}
}

// TestKeywords checks that the table of keywords is consistent.
func TestKeywords(t *testing.T) {
	t.Parallel()
	for i, k := range Keywords {
		if k.Name == "" || k.Form == 0 || k.On == 0 || k.Doc == "" {
			t.Errorf("row %d is incomplete: %+v", i, k)
		}
		if KeywordNamed(k.Name) != &Keywords[i] {
			t.Errorf("%s occurs twice", k.Name)
		}
		if fix, both := refused[k.Name]; both {
			t.Errorf("%s is both valid and refused: %s", k.Name, fix)
		}
	}
}

// TestKeywordRenamed checks keywords whose names in the tag and in schemas differ: the rows of package jsondoc apply to them.
func TestKeywordRenamed(t *testing.T) {
	t.Parallel()
	above := &Keyword{Name: "above", member: "exclusiveMinimum", Form: formNumber, On: onNumbers}
	least := &Keyword{Name: "least", member: "minimum", Form: formNumber, On: onNumbers}
	found := &Keyword{Name: "found", member: "minContains", Form: formCount, On: onList}
	if set := (Setting{Keyword: above}); !set.Bounds() {
		t.Error("above is not a bound")
	}
	if got := counterpart(least, onSlice); got != "minItems" {
		t.Errorf("the counterpart of least for lists is %q, want minItems", got)
	}
	want := []Mistake{{Tag: "found=2", Reason: "found has no effect without contains", Fix: "write contains=VALUE too"}}
	if got := alone([]Setting{{Keyword: found, Text: "found=2"}}); !slices.Equal(got, want) {
		t.Errorf("found without contains: got %+v, want %+v", got, want)
	}
	s := &jsonschema.Schema{Minimum: "1"}
	Apply(s, []Setting{{Keyword: above, Node: new(codec.Node), Value: []byte("3")}})
	if s.Minimum != "" || s.ExclusiveMinimum != "3" {
		t.Errorf("the minimum is %q and the exclusive minimum %q, want only the latter", s.Minimum, s.ExclusiveMinimum)
	}
}

// TestKeywordsJoin checks that each keyword whose value is in schemas has a row in package jsondoc, and that KeywordOf
// finds it by the name there.
func TestKeywordsJoin(t *testing.T) {
	t.Parallel()
	ours := []string{"enumTitle", "optional", "nullable"} // which schemas do not have
	for i, k := range Keywords {
		if _, known := jsondoc.KeywordNamed(k.SchemaName()); known == slices.Contains(ours, k.Name) {
			t.Errorf("%s has a row in internal/jsondoc/keyword.go: %t", k.Name, known)
		}
		if KeywordOf(k.SchemaName()) != &Keywords[i] {
			t.Errorf("%s is not found by its name in schemas, %s", k.Name, k.SchemaName())
		}
	}
}
