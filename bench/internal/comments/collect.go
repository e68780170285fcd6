package comments

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/types"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	module      = "github.com/mcptool-go/mcptool"
	toolPackage = module + "/mcptool"
)

// An item is a type or a func with its comments, in the order of the generated file.
type item struct {
	pkgPath, name string // the path is "" for the package itself
	pairs         [][2]string
}

// A collector finds the types and funcs whose comments are needed.
type collector struct {
	*source
	items    map[types.Object]*item
	seen     map[types.Object]bool // types
	warnings []string
}

// collect returns the comments of a package, sorted.
func collect(s *source) (items []*item, warnings []string) {
	c := &collector{source: s, items: map[types.Object]*item{}, seen: map[types.Object]bool{}}
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				c.declared(s.info.Defs[n.Name].(*types.Func)) //nolint:errcheck,forcetypeassert // it declares nothing else
			case *ast.Ident:
				if instance, ok := s.info.Instances[n]; ok && c.isFramework(s.info.Uses[n]) {
					for t := range instance.TypeArgs.Types() {
						c.visit(t)
					}
				}
			case *ast.CallExpr:
				if c.isFramework(s.used(n.Fun)) {
					c.passed(n)
				}
			}
			return true
		})
	}
	items = slices.Collect(maps.Values(c.items))
	slices.SortFunc(items, func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.pkgPath, b.pkgPath), cmp.Compare(a.name, b.name))
	})
	return items, c.warnings
}

// isFramework reports whether an object is of this framework.
func (s *source) isFramework(obj types.Object) bool {
	return obj != nil && obj.Pkg() != nil && obj.Pkg() != s.types && strings.HasPrefix(obj.Pkg().Path(), module+"/")
}

// used returns the object that an expression names, nil if it is another expression.
func (s *source) used(e ast.Expr) types.Object {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return s.info.Uses[e]
	case *ast.SelectorExpr:
		return s.info.Uses[e.Sel]
	case *ast.IndexExpr:
		return s.used(e.X)
	case *ast.IndexListExpr:
		return s.used(e.X)
	}
	return nil
}

// passed collects the funcs, services and members of unions that a call passes to this framework.
func (c *collector) passed(call *ast.CallExpr) {
	name := c.used(call.Fun).Name()
	isService, isUnion := strings.HasSuffix(name, "Service"), strings.HasSuffix(name, "Union")
	for i, arg := range call.Args {
		if list, ok := arg.(*ast.CompositeLit); ok && isUnion {
			for _, e := range list.Elts {
				c.visit(c.info.TypeOf(e.(*ast.KeyValueExpr).Value)) //nolint:errcheck,forcetypeassert // it is a map
			}
		}
		if f, ok := c.used(arg).(*types.Func); ok {
			c.function(f, f.Signature().Recv())
		}
		if service := namedOf(c.info.TypeOf(arg)); isService && i == 0 && service != nil {
			methods := types.NewMethodSet(types.NewPointer(service))
			for m := range methods.Methods() {
				if f, _ := m.Obj().(*types.Func); f.Exported() && isTool(f.Signature()) { // it may be promoted
					c.function(f, types.NewVar(0, nil, "", service))
				}
			}
		}
	}
}

// namedOf returns a defined type, also behind a pointer; nil for others.
func namedOf(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

// isTool reports whether a func has the signature of a tool, and not of a handler of another framework: a tool of a handler
// already has schemas and descriptions, so its comments are not used.
func isTool(sig *types.Signature) bool {
	in, out := sig.Params(), sig.Results()
	return in.Len() == 2 && out.Len() == 2 && !sig.Variadic() &&
		in.At(0).Type().String() == "context.Context" && out.At(1).Type().String() == "error" &&
		!isOfOther(in.At(1).Type()) && !isOfOther(out.At(0).Type())
}

// isOfOther reports whether a type, also behind a pointer, is of another framework for MCP servers.
func isOfOther(t types.Type) bool {
	named := namedOf(t)
	return named != nil && named.Obj().Pkg() != nil && slices.ContainsFunc(
		[]string{"github.com/mark3labs/mcp-go/", "github.com/modelcontextprotocol/go-sdk/"},
		func(module string) bool { return strings.HasPrefix(named.Obj().Pkg().Path(), module) })
}

// declared collects a func of the package if it may be a tool: it may be passed on by another func.
func (c *collector) declared(f *types.Func) {
	if !isTool(f.Signature()) {
		return
	}
	in := f.Signature().Params().At(1).Type().Underlying()
	if p, ok := in.(*types.Pointer); ok {
		in = p.Elem().Underlying()
	}
	switch in.(type) {
	case *types.Struct, *types.Map:
		c.function(f, f.Signature().Recv())
	}
}

// function collects the comment of a func or method, and the types in its signature.
func (c *collector) function(f *types.Func, receiver *types.Var) {
	if !isTool(f.Signature()) {
		return
	}
	c.visit(f.Signature().Params().At(1).Type())
	c.visit(f.Signature().Results().At(0).Type())
	if receiver == nil {
		c.add(f, "", f)
	} else if named := namedOf(receiver.Type()); named != nil {
		c.add(named.Origin().Obj(), "."+f.Name(), f)
	}
}

// add adds the comment of an object to the item of its type or func, with a suffix of the key. It
// has no effect without a comment, except for a constant.
func (c *collector) add(of types.Object, suffix string, obj types.Object) {
	text := c.text(obj)
	p := c.of(of)
	if p == nil || text == "" && !strings.HasPrefix(suffix, "=") {
		return
	}
	it := c.items[of]
	if it == nil {
		it = &item{pkgPath: p.ImportPath, name: of.Name()}
		if p == c.goPackage {
			it.pkgPath = ""
		}
		c.items[of] = it
	}
	pair := [2]string{it.pkgPath + "#" + of.Name() + suffix, text}
	if !slices.Contains(it.pairs, pair) {
		it.pairs = append(it.pairs, pair)
	}
}

// text returns the description that the comment of an object makes. It adds a warning if the
// comment is cut.
func (c *collector) text(obj types.Object) string {
	v, _ := obj.(*types.Var)
	_, isConst := obj.(*types.Const)
	doc := c.note(obj).doc
	if p := c.of(obj); p != nil && c.isForeign(p) {
		doc = firstSentence(doc)
	}
	text, cut := describe(obj.Name(), doc, v != nil || isConst)
	if at := c.fset.PositionFor(obj.Pos(), false); cut {
		c.warn("%s:%d: the comment of %s is longer than %d characters; %d are kept", filepath.Base(at.Filename), at.Line, obj.Name(), maxText, utf8.RuneCountInString(text))
	}
	return text
}

// warn adds a warning, once.
func (c *collector) warn(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// visit collects the comments of a type and of the types that it contains.
func (c *collector) visit(t types.Type) {
	switch t := types.Unalias(t).(type) {
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			c.visit(arg)
		}
		c.named(t.Origin())
	case *types.Map:
		c.visit(t.Key())
		c.visit(t.Elem())
	case interface{ Elem() types.Type }: // a pointer, a slice, an array
		c.visit(t.Elem())
	case *types.Struct:
		for f := range t.Fields() {
			c.visit(f.Type())
		}
	}
}

// named collects the comments of a defined type.
func (c *collector) named(t *types.Named) {
	obj := t.Obj()
	p := c.of(obj)
	if c.seen[obj] || p == nil {
		return
	}
	c.seen[obj] = true
	if p.names[obj.Name()] > 1 {
		c.warn("%s: several types are called %s, or a func and a type in a func; the comments of the types are left out", p.ImportPath, obj.Name())
		return
	}
	c.add(obj, "", obj)
	switch under := t.Underlying().(type) {
	case *types.Struct:
		if !hasOwnForm(t) {
			c.fields(obj, under)
		}
	case *types.Interface:
		c.members(obj, under)
	case *types.Basic:
		if under.Info()&types.IsString != 0 {
			c.constants(obj)
		}
	default:
		c.visit(under)
	}
}

// hasOwnForm reports whether a type reads or writes its JSON itself, so that its fields are not in
// it.
func hasOwnForm(t types.Type) bool {
	methods := types.NewMethodSet(types.NewPointer(t))
	return slices.ContainsFunc([]string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"}, func(name string) bool {
		return methods.Lookup(nil, name) != nil
	})
}

// fields collects the comments of the fields of a struct that have no description in their tags.
func (c *collector) fields(of types.Object, t *types.Struct) {
	for i := range t.NumFields() {
		f, tag := t.Field(i), " "+t.Tag(i)
		if f.Name() == "_" || !f.Exported() && !f.Embedded() || strings.Contains(tag, ` json:"-"`) {
			continue
		}
		if !strings.Contains(tag, ` doc:"`) && !strings.Contains(tag, ` jsonschema_description:"`) {
			c.add(of, "."+f.Name(), f)
		}
		c.visit(f.Type())
	}
}

// members visits the types that implement an interface, in its package and in the one that the
// comments are for.
func (c *collector) members(of types.Object, t *types.Interface) {
	if t.NumMethods() == 0 {
		return
	}
	for _, p := range []*types.Package{of.Pkg(), c.types} {
		for _, name := range p.Scope().Names() {
			obj, ok := p.Scope().Lookup(name).(*types.TypeName)
			if ok && !types.IsInterface(obj.Type()) && types.Implements(types.NewPointer(obj.Type()), t) {
				c.visit(obj.Type())
			}
		}
	}
}

// constants collects the constants of a type of strings in the order of their declaration: the
// exported ones or, if there are none, the others.
func (c *collector) constants(of types.Object) {
	var all, exported []*types.Const
	for _, name := range of.Pkg().Scope().Names() {
		if k, ok := of.Pkg().Scope().Lookup(name).(*types.Const); ok && types.Identical(k.Type(), of.Type()) {
			all = append(all, k)
			if k.Exported() {
				exported = append(exported, k)
			}
		}
	}
	if exported != nil {
		all = exported
	}
	slices.SortFunc(all, func(a, b *types.Const) int { return cmp.Compare(c.note(a).order, c.note(b).order) })
	var values []string
	for _, k := range all {
		value := constant.StringVal(k.Val())
		if !slices.Contains(values, value) { // two constants may have one value
			values = append(values, value)
			c.add(of, "="+value, k)
		}
	}
}
