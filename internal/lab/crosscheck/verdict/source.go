package verdict

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// declarationOf returns the declarations in source of a type, its methods and the types that it uses; all of source if
// it cannot be parsed.
func declarationOf(source, name string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err != nil {
		return source
	}
	var parts []string
	wanted := map[string]bool{name: true}
	for again := true; again; {
		again = false
		for i, decl := range file.Decls {
			if decl == nil || !wanted[declared(decl)] {
				continue
			}
			parts = append(parts, source[decl.Pos()-1:decl.End()-1])
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, isIdent := n.(*ast.Ident); isIdent {
					wanted[id.Name] = true
				}
				return true
			})
			file.Decls[i], again = nil, true
		}
	}
	return strings.Join(parts, "\n")
}

// declared returns the name of the type of a declaration; for a union, the name of the interface.
func declared(decl ast.Decl) string {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return unionOf(d)
		}
		t := d.Recv.List[0].Type
		if star, isPointer := t.(*ast.StarExpr); isPointer {
			t = star.X
		}
		if id, isIdent := t.(*ast.Ident); isIdent {
			return id.Name
		}
	case *ast.GenDecl:
		switch spec := d.Specs[0].(type) {
		case *ast.TypeSpec:
			return spec.Name.Name
		case *ast.ValueSpec:
			return spec.Names[0].Name
		}
	}
	return ""
}

// unionOf returns the interface in func init() { RegisterUnion("", map[string]I{…}) }, "" for any other func.
func unionOf(fn *ast.FuncDecl) string {
	name := ""
	if fn.Name.Name != "init" {
		return name
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if m, isMap := n.(*ast.MapType); isMap {
			if id, isIdent := m.Value.(*ast.Ident); isIdent {
				name = id.Name
			}
		}
		return true
	})
	return name
}
