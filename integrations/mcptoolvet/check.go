package mcptoolvet

import (
	"go/ast"
	"go/types"
	"reflect"
	"strings"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// registration has the checks of package mcptool, schemas those of package reflectschema.
var (
	registration = mcptool.Internal(private.Key{})
	schemas      = reflectschema.Internal(private.Key{})
)

// constructors returns the options that apply to the items of a constructor, as a slice of the type that
// registration.Check expects.
var constructors = map[string]func(options) any{
	"New":         func(opts options) any { return optionsOf[mcptool.ToolOption](opts) },
	"NewPrompt":   func(opts options) any { return optionsOf[mcptool.PromptOption](opts) },
	"NewResource": func(opts options) any { return optionsOf[mcptool.ResourceOption](opts) },
}

// call checks one call.
func (c *checker) call(call call) {
	if call.pkg != toolPackage {
		return
	}
	switch name := strings.Replace(call.name, "Register", "New", 1); name {
	case "New", "NewPrompt", "NewResource":
		c.constructor(call, name)
	case "NewService":
		c.service(call)
	case "Elicit", "ElicitPart":
		c.compiled(call, reflectschema.DirectionInput, true)
	case "Once":
		c.compiled(call, reflectschema.DirectionStored, false)
	}
}

// constructor checks a call of New, NewPrompt or NewResource, or of its Register.
func (c *checker) constructor(call call, name string) {
	if len(call.typeArgs) != 2 || len(call.Args) == 0 {
		return
	}
	in, out := call.typeArgs[0], call.typeArgs[1]
	c.checked[deref(in)] = true
	opts := c.options(call.CallExpr)
	funcName, isKnown := c.funcName(call.Args[0])
	if c.types.isOpaque(deref(in)) || hasTypeParam(in) || hasTypeParam(out) {
		return
	}
	if !isKnown || !opts.complete {
		funcName = "f" // the name may be set where it cannot be seen
	}
	mistakes := registration.Check(funcName, c.types.reflect(in), c.types.reflect(out), constructors[name](opts))
	for _, m := range mistakes {
		if opts.complete || m.Field != "" {
			c.mistake(call.CallExpr, m, in, out)
		}
	}
}

// service checks a call of NewService or RegisterService.
func (c *checker) service(call call) {
	if len(call.Args) == 0 {
		return
	}
	t := c.pass.TypesInfo.TypeOf(call.Args[0])
	opts := c.options(call.CallExpr)
	if t == nil || types.IsInterface(t) || hasTypeParam(t) || !opts.complete {
		return
	}
	all := t
	if _, isPointer := t.Underlying().(*types.Pointer); !isPointer {
		all = types.NewPointer(t)
	}
	var (
		names      []string
		parameters []types.Type
		signatures []reflect.Type
		unbound    []bool
	)
	for selection := range c.types.methods.MethodSet(all).Methods() {
		sig := selection.Type().(*types.Signature)
		if !selection.Obj().Exported() {
			continue
		}
		if sig.Params().Len() == 2 {
			c.checked[deref(sig.Params().At(1).Type())] = true
		}
		plain := types.NewSignatureType(nil, nil, nil, sig.Params(), sig.Results(), sig.Variadic())
		names = append(names, selection.Obj().Name())
		for v := range sig.Params().Variables() {
			parameters = append(parameters, v.Type())
		}
		for v := range sig.Results().Variables() {
			parameters = append(parameters, v.Type())
		}
		signatures = append(signatures, c.types.reflect(plain))
		unbound = append(unbound, c.types.method(t, selection.Obj().Name()) == nil)
	}
	for _, m := range registration.CheckService(c.types.reflect(t), names, signatures, unbound, optionsOf[mcptool.ToolOption](opts)) {
		c.mistake(call.CallExpr, m, parameters...)
	}
}

// compiled checks the type of a form, or of a value that is stored.
func (c *checker) compiled(call call, direction reflectschema.Direction, isForm bool) {
	if len(call.typeArgs) == 0 || hasTypeParam(call.typeArgs[0]) {
		return
	}
	c.checked[deref(call.typeArgs[0])] = true
	compiled, err := reflectschema.Compile(c.types.reflect(call.typeArgs[0]), direction)
	if err == nil && isForm {
		_, err = schemas.Form(compiled)
	}
	for _, e := range schemas.TypeMistakes(err) {
		c.mistake(call.CallExpr, mcptool.Mistake{Type: e.Type, Field: e.Field, Path: e.Path, Tag: e.Tag, Reason: e.Reason, Fix: e.Fix}, call.typeArgs[0])
	}
}

// taggedTypes checks the structs with an mcp tag that no call of this package uses. They are arguments of a tool, a
// prompt or a resource of another package: of the kind with the fewest mistakes.
func (c *checker) taggedTypes() {
	c.inspector().Preorder([]ast.Node{(*ast.TypeSpec)(nil)}, func(n ast.Node) {
		spec := n.(*ast.TypeSpec)
		obj, ok := c.pass.TypesInfo.Defs[spec.Name].(*types.TypeName)
		if !ok || spec.TypeParams != nil || obj.IsAlias() || c.checked[obj.Type()] || !hasToolTag(obj.Type()) || c.types.isOpaque(obj.Type()) {
			return
		}
		var fewest []mcptool.Mistake
		for i, opts := range []any{[]mcptool.ToolOption{}, []mcptool.PromptOption{}, []mcptool.ResourceOption{}} {
			var inTags []mcptool.Mistake
			for _, m := range registration.Check("f", c.types.reflect(obj.Type()), reflect.TypeFor[string](), opts) {
				if m.Field != "" {
					inTags = append(inTags, m)
				}
			}
			if i == 0 || len(inTags) < len(fewest) {
				fewest = inTags
			}
		}
		for _, m := range fewest {
			c.mistake(spec.Name, m, obj.Type())
		}
	})
}

// hasToolTag reports whether a type is a struct with an mcp tag on a blank field.
func hasToolTag(t types.Type) bool {
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i := range u.NumFields() {
		if _, ok := reflect.StructTag(u.Tag(i)).Lookup("mcp"); ok && u.Field(i).Name() == "_" {
			return true
		}
	}
	return false
}

// deref returns the type that a pointer points to, or t itself.
func deref(t types.Type) types.Type {
	t = types.Unalias(t)
	if pointer, ok := t.(*types.Pointer); ok {
		return types.Unalias(pointer.Elem())
	}
	return t
}

// hasTypeParam reports whether a type is or has a type parameter of the func around it.
func hasTypeParam(t types.Type) bool {
	switch t := types.Unalias(t).(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		for arg := range t.TypeArgs().Types() {
			if hasTypeParam(arg) {
				return true
			}
		}
		return false
	case *types.Map:
		return hasTypeParam(t.Key()) || hasTypeParam(t.Elem())
	case interface{ Elem() types.Type }:
		return hasTypeParam(t.Elem())
	}
	return false
}

// funcName returns the name that registration finds for a func, and false if it is not known.
func (c *checker) funcName(fn ast.Expr) (string, bool) {
	switch fn := ast.Unparen(fn).(type) {
	case *ast.FuncLit:
		return "", true
	case *ast.IndexExpr:
		return c.funcName(fn.X)
	case *ast.IndexListExpr:
		return c.funcName(fn.X)
	case *ast.SelectorExpr:
		return c.funcName(fn.Sel)
	case *ast.Ident:
		if obj, ok := c.pass.TypesInfo.Uses[fn].(*types.Func); ok {
			return obj.Name(), true
		}
	}
	return "", false
}
