package mcptoolvet

import (
	"cmp"
	"go/ast"
	"go/constant"
	"go/types"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/comment"
)

//nolint:gochecknoinits // registration asks package comment for the constants that enum=const lists
func init() {
	others := comment.Constants
	comment.Constants = func(t reflect.Type) []string {
		if source, ok := t.(*goType); ok {
			return source.constants()
		}
		return others(t)
	}
}

// registeredConstants returns the values of the constants that the generated file of the package
// registers, by the typeID of their types.
func (c *checker) registeredConstants(calls []call) map[string][]string {
	values := map[string][]string{}
	for _, call := range calls {
		if call.pkg != commentPackage || len(call.Args) != 1 {
			continue
		}
		list, ok := ast.Unparen(call.Args[0]).(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, e := range list.Elts {
			pair, ok := e.(*ast.CompositeLit)
			if !ok || len(pair.Elts) == 0 {
				continue
			}
			if key := c.constant(pair.Elts[0]); key != nil {
				name, value, isConstant := strings.Cut(constant.StringVal(key), "=")
				pkgPath, ident, _ := strings.Cut(name, "#")
				if id := cmp.Or(pkgPath, c.pass.Pkg.Path()) + "." + ident; isConstant {
					values[id] = append(values[id], value)
				}
			}
		}
	}
	return values
}

// constants returns the registered values of the constants of the type. Without any, except in
// package main, it returns the values in the source, because a package that imports this one may
// have the generated file.
func (t *goType) constants() []string {
	named, ok := t.of.(*types.Named)
	if !ok {
		return nil
	}
	if values := t.in.constants[typeID(named)]; values != nil || t.in.isMain {
		return values
	}
	return declaredConstants(named.Obj())
}

// declaredConstants returns the values of the exported constants of a string type or, if there are
// none, of the others.
func declaredConstants(of *types.TypeName) []string {
	var all, exported []string
	for _, name := range of.Pkg().Scope().Names() {
		k, ok := of.Pkg().Scope().Lookup(name).(*types.Const)
		if !ok || !types.Identical(k.Type(), of.Type()) {
			continue
		}
		value := constant.StringVal(k.Val())
		if slices.Contains(all, value) {
			continue
		}
		all = append(all, value)
		if k.Exported() {
			exported = append(exported, value)
		}
	}
	if exported != nil {
		return exported
	}
	return all
}
