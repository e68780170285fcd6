package mcptoolvet

import (
	"go/token"
	"go/types"
	"testing"

	"golang.org/x/tools/go/analysis"
)

// TestIsOwn tests that a type of another module is not the author's, also if the path of the author's module is a prefix of
// the path of that module.
func TestIsOwn(t *testing.T) {
	t.Parallel()
	analyzed := types.NewPackage("example.com/app/tools", "tools")
	for _, tt := range []struct {
		name, pkg, file string
		module          *analysis.Module
		want            bool
	}{
		{"the package itself", "", "/src/app/tools/a.go", nil, true},
		{"another package of the module", "example.com/app/api", "/src/app/api/a.go", &analysis.Module{Path: "example.com/app"}, true},
		{"the root of the module", "example.com/app", "/src/app/a.go", &analysis.Module{Path: "example.com/app"}, true},
		{"a package whose path only begins alike", "example.com/application", "/src/application/a.go", &analysis.Module{Path: "example.com/app"}, false},
		{"a module inside, in the module cache", "example.com/app/api", "/go/pkg/mod/example.com/app/api@v1.2.0/a.go", &analysis.Module{Path: "example.com/app"}, false},
		{"a module inside, vendored", "example.com/app/api", "/src/app/vendor/example.com/app/api/a.go", &analysis.Module{Path: "example.com/app"}, false},
		{"no module", "example.com/app/api", "/src/app/api/a.go", nil, false},
	} {
		files := token.NewFileSet()
		pos := files.AddFile(tt.file, -1, 1).Pos(0)
		pkg := analyzed
		if tt.pkg != "" {
			pkg = types.NewPackage(tt.pkg, "pkg")
		}
		table := &typeTable{pass: &analysis.Pass{Pkg: analyzed, Fset: files, Module: tt.module}}
		if got := table.isOwn(types.NewTypeName(pos, pkg, "T", nil)); got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}
