package tag

import "testing"

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
