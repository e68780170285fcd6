package runtime

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneWriterOfWireErrors: protocol errors are created only in wireerror.go.
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
				switch name := typeName(lit.Type); name {
				case "wireError", "wire.Error":
					made[name]++
					if path != "wireerror.go" {
						t.Errorf("%s creates a %s; add a func to wireerror.go", fset.Position(lit.Pos()), name)
					}
				}
			}
			return true
		})
	}
	if made["wireError"] == 0 || made["wire.Error"] == 0 {
		t.Errorf("found %v, want both types", made)
	}
}

// typeName returns the name of a type expression, or "".
func typeName(expr ast.Expr) string {
	switch expr := expr.(type) {
	case *ast.Ident:
		return expr.Name
	case *ast.SelectorExpr:
		return typeName(expr.X) + "." + expr.Sel.Name
	default:
		return ""
	}
}
