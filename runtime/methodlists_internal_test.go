package runtime

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// methodList is the reason why a file lists methods of the protocol instead of using the method table.
type methodList struct {
	reason string
	wants  func(*method) bool // reports the methods that the list must have; nil: any
}

// hasNameHeader reports whether the header Mcp-Name repeats the subject of the method.
func hasNameHeader(m *method) bool {
	kind := m.subject.kind
	return m.span.Last.Has(wire.PerRequest) && kind != noSubject && kind != referenceSubject
}

// methodLists are the files with lists of methods, relative to the root of the module. Other files must not list methods,
// except tests.
var methodLists = map[string]methodList{
	"internal/measure/client/exchange.go":      {"the command does not import the server", hasNameHeader},
	"bench/internal/swap/message.go":           {"the command does not import the server", nil},
	"streamhttp/headers_fuzz_internal_test.go": {"the oracle must not use the table", hasNameHeader},
	"internal/lab/verdicts/messages.go":        {"its cases must not change with the table", nil},
	"internal/hostile/worst/seeds.go":          {"the table is not exported", func(m *method) bool { return m.name != methodToolsCall }},
}

// TestMethodLists finds lists of three or more methods in composite literals and case clauses.
func TestMethodLists(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != ".." && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		name := strings.TrimPrefix(filepath.ToSlash(path), "../")
		list, known := methodLists[name]
		if filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") && !known {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			names := methodsListed(n)
			if len(names) < 3 {
				return true
			}
			found[name] = true
			if !known {
				t.Errorf("%s lists %s: use the rows of methodTable, or add the file to methodLists with the reason", name, strings.Join(names, ", "))
			} else if list.wants != nil {
				compareMethods(t, name, names, list.wants)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name := range methodLists {
		if !found[name] {
			t.Errorf("%s does not list methods; remove it from methodLists", name)
		}
	}
}

// compareMethods reports missing and superfluous methods of a list.
func compareMethods(t *testing.T, path string, names []string, wants func(*method) bool) {
	t.Helper()
	for name, m := range methodTable {
		if has := slices.Contains(names, name); has != wants(m) {
			t.Errorf("%s: list has %s = %v, want %v", path, name, has, wants(m))
		}
	}
}

// methodsListed returns the methods that are elements or keys of a literal, or values of a case clause.
func methodsListed(n ast.Node) (names []string) {
	var list []ast.Expr
	switch n := n.(type) {
	case *ast.CompositeLit:
		list = n.Elts
	case *ast.CaseClause:
		list = n.List
	}
	for _, e := range list {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			e = pair.Key
		}
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			if name, err := strconv.Unquote(literal.Value); err == nil && methodTable[name] != nil {
				names = append(names, name)
			}
		}
	}
	return names
}
