package tag

import "testing"

// TestShapeNames: what a keyword applies to has words, in doc.go and in the mistake of a tag on another type.
func TestShapeNames(t *testing.T) {
	t.Parallel()
	for _, k := range Keywords {
		if k.On.String() == "" {
			t.Errorf("%s applies to Go types without words: add them to shapeNames, in keyword.go", k.Name)
		}
	}
}

// TestKeywords holds the table of keywords together.
func TestKeywords(t *testing.T) {
	t.Parallel()
	for i, k := range Keywords {
		if k.Name == "" || k.Form == 0 || k.On == 0 || k.Doc == "" {
			t.Errorf("row %d is not complete: %+v", i, k)
		}
		if KeywordNamed(k.Name) != &Keywords[i] {
			t.Errorf("%s is there twice", k.Name)
		}
		if fix, both := refused[k.Name]; both {
			t.Errorf("%s is both legal and refused: %s", k.Name, fix)
		}
	}
}
