package mcptoolvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/mcptool-go/mcptool/mcptool"
)

// mistake reports a mistake in the types of a node: at its tag or field, or at the node if it is in neither or in another
// package. Mistakes in fields whose JSON is not known are dropped: the registration of a type or its method decides what
// is allowed.
func (c *checker) mistake(at ast.Node, m mcptool.Mistake, roots ...types.Type) {
	if !strings.HasPrefix(m.Type, "func(") { // otherwise the method of a service
		m.Tool = ""
	}
	found := find(m, roots)
	switch {
	case found == nil && m.Path != "" && slices.ContainsFunc(roots, c.types.involvesOpaque):
		return // it may be below such a field
	case found != nil && found.Name() != "_" && c.types.involvesOpaque(found.Type()):
		return
	}
	d := analysis.Diagnostic{Pos: at.Pos(), End: at.End(), Message: m.String()}
	if call, ok := at.(*ast.CallExpr); ok {
		d.End = call.Lparen
	}
	if found != nil {
		if field := c.field(found); field != nil {
			d.Pos, d.End = found.Pos(), found.Pos()+token.Pos(len(found.Name()))
			if field.Tag != nil {
				l := tagLiteral{field.Tag, m}
				d.Pos, d.End = l.position()
				d.SuggestedFixes = l.fixes()
			}
		}
	}
	c.report(d)
}

// report reports each message once at a position: several calls may use one type.
func (c *checker) report(d analysis.Diagnostic) {
	key := c.pass.Fset.Position(d.Pos).String() + d.Message
	if !c.reported[key] {
		c.reported[key] = true
		c.pass.Report(d)
	}
}

// find returns the field of a mistake in one of the types; nil if it has none.
func find(m mcptool.Mistake, roots []types.Type) *types.Var {
	for t := range parts(roots...) {
		u, isStruct := t.Underlying().(*types.Struct)
		_, isUnnamed := t.(*types.Struct)
		if !isStruct || reflectString(t, false) != m.Type && (!isUnnamed || m.Type != "struct{…}") {
			continue
		}
		var found *types.Var
		switch {
		case m.Field != "":
			found = fieldAt(u, strings.Split(m.Field, "."), m.Tag)
		case m.Path != "":
			found = member(u, m.Path)
		}
		if found != nil {
			return found
		}
	}
	return nil
}

// fieldAt follows the names of embedded fields to a field. Of several blank fields it returns the one with the tag.
func fieldAt(u *types.Struct, path []string, tag string) *types.Var {
	for i := range u.NumFields() {
		v := u.Field(i)
		if v.Name() != path[0] || v.Name() == "_" && !strings.Contains(u.Tag(i), tag) {
			continue
		}
		if len(path) == 1 {
			return v
		}
		if inner, ok := deref(v.Type()).Underlying().(*types.Struct); ok {
			return fieldAt(inner, path[1:], tag)
		}
	}
	return nil
}

// member returns the field with a name in JSON, nil if the struct itself has none.
func member(u *types.Struct, name string) *types.Var {
	for i := range u.NumFields() {
		own, _, _ := strings.Cut(reflect.StructTag(u.Tag(i)).Get("json"), ",")
		if own == name || own == "" && u.Field(i).Name() == name {
			return u.Field(i)
		}
	}
	return nil
}

// field returns the syntax of a field, nil if it is not in this package.
func (c *checker) field(v *types.Var) *ast.Field {
	if c.fields == nil {
		c.fields = map[token.Pos]*ast.Field{}
		c.inspector().Preorder([]ast.Node{(*ast.StructType)(nil)}, func(n ast.Node) {
			for _, f := range n.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					c.fields[name.Pos()] = f
				}
				if len(f.Names) == 0 {
					c.fields[embeddedName(f.Type).Pos()] = f
				}
			}
		})
	}
	return c.fields[v.Pos()]
}

// embeddedName returns the name in the type of an embedded field.
func embeddedName(expr ast.Expr) ast.Expr {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		return embeddedName(expr.X)
	case *ast.ParenExpr:
		return embeddedName(expr.X)
	case *ast.SelectorExpr:
		return expr.Sel
	case *ast.IndexExpr:
		return embeddedName(expr.X)
	case *ast.IndexListExpr:
		return embeddedName(expr.X)
	default:
		return expr
	}
}
