package runtime

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneWriterOfWireErrors: protocol errors are made in wireerror.go alone, where all of them can be read.
func TestOneWriterOfWireErrors(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]int{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok {
				if id, ok := lit.Type.(*ast.Ident); ok && id.Name == "wireError" {
					made[path]++
					if path != "wireerror.go" {
						t.Errorf("%s makes a wireError; add a func to wireerror.go", fset.Position(lit.Pos()))
					}
				}
			}
			return true
		})
	}
	if made["wireerror.go"] == 0 {
		t.Error("no wireError is found at all")
	}
}
