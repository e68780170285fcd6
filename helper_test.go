package house_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// checkHelpers reports what the Go blocks of a document use of their packages without showing it: funcs, types, variables
// and methods that are declared in the package of the file that a block is cut from, and in no block of the document.
func checkHelpers(t *testing.T, blocks []block) []string {
	t.Helper()
	shown := map[string]string{} // by directory, the text of all blocks cut from it
	for _, b := range blocks {
		if b.lang == "go" {
			shown[filepath.Dir(b.marker)] += b.text
		}
	}
	var problems []string
	for _, b := range blocks {
		if b.lang != "go" || checkGo(b) != "" {
			continue
		}
		dir := filepath.Dir(b.marker)
		declared := declaredWith(t, b.marker)
		for _, name := range usedIn(t, b, declared) {
			if text := declared[name]; !strings.Contains(shown[dir], text) {
				problems = append(problems, b.problem("the block uses %s, which the document does not show: %s", name, text))
			}
		}
	}
	return problems
}

// declaredWith returns what the package of a Go file declares, itself and in the files beside it: for each name the first
// line of its declaration. The name of a method begins with a dot.
func declaredWith(t *testing.T, path string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	own, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.PackageClauseOnly)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[string]string{}
	for _, path := range files {
		source := readText(t, path)
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, source, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if file.Name.Name != own.Name.Name {
			continue
		}
		firstLine := func(at token.Pos) string {
			line, _, _ := strings.Cut(source[fset.Position(at).Offset:], "\n")
			return line
		}
		for _, decl := range file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				name := d.Name.Name
				if d.Recv != nil {
					name = "." + name
				}
				declared[name] = firstLine(d.Pos())
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						declared[s.Name.Name] = firstLine(s.Pos())
					case *ast.ValueSpec:
						for _, name := range s.Names {
							declared[name.Name] = firstLine(name.Pos())
						}
					}
				}
			}
		}
	}
	return declared
}

// usedIn returns the names among declared that a block uses.
func usedIn(t *testing.T, b block, declared map[string]string) []string {
	t.Helper()
	source := readText(t, b.marker)
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, b.marker, source, 0) // resolves what is declared in the file
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(source, b.text)
	within := func(n ast.Node) bool {
		at := fset.Position(n.Pos()).Offset
		return at >= begin && at < begin+len(b.text)
	}
	imports := map[string]bool{}
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		imports[path[strings.LastIndex(path, "/")+1:]] = true
	}
	used := map[string]bool{}
	add := func(name string) {
		if _, ok := declared[name]; ok {
			used[name] = true
		}
	}
	selected := map[*ast.Ident]bool{} // names behind a dot
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			selected[s.Sel] = true
			if x, ok := s.X.(*ast.Ident); within(s) && (!ok || !imports[x.Name]) {
				add("." + s.Sel.Name)
			}
		}
		return true
	})
	unresolved := map[*ast.Ident]bool{} // declared in another file of the package, if at all
	for _, id := range file.Unresolved {
		unresolved[id] = true
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && within(id) && !selected[id] {
			if unresolved[id] || id.Obj != nil && file.Scope.Lookup(id.Name) == id.Obj {
				add(id.Name)
			}
		}
		return true
	})
	return slices.Sorted(maps.Keys(used))
}

// TestHelpersShown plants snippets that use what is not shown beside them.
func TestHelpersShown(t *testing.T) {
	cut := func(file, text string) block {
		return block{file: "x.md", line: 1, lang: "go", marker: file, text: text}
	}
	sum := cut("examples/calculator/main.go", "func main() {\n\tmcptool.Register(CalculateSum)\n\tstdio.Main(nil)\n}\n")
	fn := cut("examples/calculator/main.go", "func CalculateSum(_ context.Context, in SumIn) (SumOut, error) { return SumOut{Sum: in.A + in.B}, nil }\n")
	method := cut("examples/export/main.go", "\tfound, err := mcptool.Once(ctx, \"found\", func(ctx context.Context) (Found, error) { return a.read(ctx, in.Year) })\n")
	other := cut("examples/booking/main.go", "\toffice := NewOffice(40)\n")
	for _, test := range []struct {
		name   string
		blocks []block
		want   []string // names that are missed
	}{
		{"a func", []block{sum}, []string{"CalculateSum"}},
		{"its types, when the func is shown", []block{sum, fn}, []string{"SumIn", "SumOut"}},
		{"a method", []block{method}, []string{".read", "Found"}},
		{"a func of another file", []block{other}, []string{"NewOffice"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			problems := checkHelpers(t, test.blocks)
			if len(problems) != len(test.want) {
				t.Fatalf("got %q, want %q", problems, test.want)
			}
			for i, want := range test.want {
				if !strings.Contains(problems[i], "uses "+want+",") {
					t.Errorf("got %q, want one about %s", problems[i], want)
				}
			}
		})
	}
}
