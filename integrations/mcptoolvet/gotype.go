package mcptoolvet

import (
	"fmt"
	"go/types"
	"iter"
	"reflect"
	"slices"
	"strings"
)

// A goType is a type of source code in the form that registration checks: a reflect.Type that reads a types.Type, with the methods of
// walk.SourceType in package reflectschema. It is equal to another goType only if the types are identical.
type goType struct {
	reflect.Type // nil: the methods that the checks do not need
	of           types.Type
	in           *typeTable
}

// kinds maps the kinds of types.BasicKind to those of package reflect.
var kinds = map[types.BasicKind]reflect.Type{
	types.Bool: reflect.TypeFor[bool](), types.String: reflect.TypeFor[string](),
	types.Int: reflect.TypeFor[int](), types.Int8: reflect.TypeFor[int8](), types.Int16: reflect.TypeFor[int16](),
	types.Int32: reflect.TypeFor[int32](), types.Int64: reflect.TypeFor[int64](),
	types.Uint: reflect.TypeFor[uint](), types.Uint8: reflect.TypeFor[uint8](), types.Uint16: reflect.TypeFor[uint16](),
	types.Uint32: reflect.TypeFor[uint32](), types.Uint64: reflect.TypeFor[uint64](), types.Uintptr: reflect.TypeFor[uintptr](),
	types.Float32: reflect.TypeFor[float32](), types.Float64: reflect.TypeFor[float64](),
	types.Complex64: reflect.TypeFor[complex64](), types.Complex128: reflect.TypeFor[complex128](),
}

// Kind is reflect.Type.Kind, as the other methods.
func (t *goType) Kind() reflect.Kind {
	switch u := t.of.Underlying().(type) {
	case *types.Basic:
		if basic := kinds[u.Kind()]; basic != nil {
			return basic.Kind()
		}
		return reflect.UnsafePointer
	case *types.Pointer:
		return reflect.Pointer
	case *types.Slice:
		return reflect.Slice
	case *types.Array:
		return reflect.Array
	case *types.Map:
		return reflect.Map
	case *types.Chan:
		return reflect.Chan
	case *types.Struct:
		return reflect.Struct
	case *types.Signature:
		return reflect.Func
	default:
		return reflect.Interface
	}
}

func (t *goType) Name() string {
	if named, ok := t.of.(*types.Named); ok {
		return nameOf(named)
	}
	return ""
}

func (t *goType) PkgPath() string {
	if named, ok := t.of.(*types.Named); ok && named.Obj().Pkg() != nil {
		return named.Obj().Pkg().Path()
	}
	return ""
}

func (t *goType) String() string { return reflectString(t.of, false) }

func (t *goType) Bits() int { return kinds[t.of.Underlying().(*types.Basic).Kind()].Bits() }

func (t *goType) Len() int { return int(t.of.Underlying().(*types.Array).Len()) }

func (t *goType) Key() reflect.Type { return t.in.key(t.of.Underlying().(*types.Map)) }

func (t *goType) Elem() reflect.Type {
	return t.in.reflect(t.of.Underlying().(interface{ Elem() types.Type }).Elem())
}

// PointerTo is a method of walk.SourceType in package reflectschema.
func (t *goType) PointerTo() reflect.Type { return t.in.reflect(types.NewPointer(t.of)) }

func (t *goType) NumField() int { return t.structType().NumFields() }

func (t *goType) structType() *types.Struct { return t.of.Underlying().(*types.Struct) }

func (t *goType) Field(i int) reflect.StructField {
	v := t.structType().Field(i)
	f := reflect.StructField{
		Name: v.Name(), Type: t.in.reflect(v.Type()), Tag: reflect.StructTag(t.structType().Tag(i)),
		Index: []int{i}, Anonymous: v.Embedded(),
	}
	if !v.Exported() && v.Pkg() != nil {
		f.PkgPath = v.Pkg().Path()
	}
	return f
}

func (t *goType) Fields() iter.Seq[reflect.StructField] {
	return func(yield func(reflect.StructField) bool) {
		for i := range t.NumField() {
			if !yield(t.Field(i)) {
				return
			}
		}
	}
}

// FieldByName finds only fields of the struct itself: the checks look for no others.
func (t *goType) FieldByName(name string) (reflect.StructField, bool) {
	for f := range t.Fields() {
		if f.Name == name {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

func (t *goType) NumIn() int            { return t.signature().Params().Len() }
func (t *goType) NumOut() int           { return t.signature().Results().Len() }
func (t *goType) In(i int) reflect.Type { return t.in.reflect(t.signature().Params().At(i).Type()) }

func (t *goType) Out(i int) reflect.Type      { return t.in.reflect(t.signature().Results().At(i).Type()) }
func (t *goType) IsVariadic() bool            { return t.signature().Variadic() }
func (t *goType) signature() *types.Signature { return t.of.Underlying().(*types.Signature) }

func (t *goType) Ins() iter.Seq[reflect.Type] {
	return func(yield func(reflect.Type) bool) {
		for i := range t.NumIn() {
			if !yield(t.In(i)) {
				return
			}
		}
	}
}

// NumMethod is exact for interfaces only, as the checks ask no others.
func (t *goType) NumMethod() int {
	if u, ok := t.of.Underlying().(*types.Interface); ok {
		return u.NumMethods()
	}
	return 0
}

// MethodByName returns a method with its receiver as the first parameter, unless the type is an interface. It has no
// func.
func (t *goType) MethodByName(name string) (reflect.Method, bool) {
	selection := t.in.method(t.of, name)
	if selection == nil {
		return reflect.Method{}, false
	}
	sig := selection.Type().(*types.Signature)
	params := slices.Collect(sig.Params().Variables())
	if !types.IsInterface(t.of) {
		params = slices.Insert(params, 0, types.NewVar(0, nil, "", t.of))
	}
	made := types.NewSignatureType(nil, nil, nil, types.NewTuple(params...), sig.Results(), sig.Variadic())
	return reflect.Method{Name: name, Type: &goType{of: made, in: t.in}}, true
}

// Declares is a method of walk.SourceType in package reflectschema.
func (t *goType) Declares(method string) bool {
	selection := t.in.method(t.of, method)
	if selection == nil {
		selection = t.in.method(types.NewPointer(t.of), method)
	}
	return selection != nil && len(selection.Index()) == 1
}

// IsOwn is a method of walk.SourceType in package reflectschema.
func (t *goType) IsOwn() bool {
	named, ok := t.of.(*types.Named)
	return !ok || t.in.isOwn(named.Obj())
}

// Implements compares the methods of an interface of the program by their names and signatures.
func (t *goType) Implements(u reflect.Type) bool {
	for i := range u.NumMethod() {
		want := u.Method(i)
		have := t.in.method(t.of, want.Name)
		if want.PkgPath != "" || have == nil || reflectString(have.Type(), false) != want.Type.String() {
			return false
		}
	}
	return true
}

// reflectString returns the text that reflect.Type.String returns for the type: with the names of packages, or inside
// the type arguments of a name, with their paths.
func reflectString(t types.Type, full bool) string {
	text := func(t types.Type) string { return reflectString(t, full) }
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if basic := kinds[t.Kind()]; basic != nil {
			return basic.String() // byte is uint8, rune is int32
		}
		return "unsafe.Pointer"
	case *types.Named:
		switch pkg := t.Obj().Pkg(); {
		case pkg == nil:
			return nameOf(t)
		case full && pkg.Name() != "main":
			return pkg.Path() + "." + nameOf(t)
		default:
			return pkg.Name() + "." + nameOf(t)
		}
	case *types.Pointer:
		return "*" + text(t.Elem())
	case *types.Slice:
		return "[]" + text(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), text(t.Elem()))
	case *types.Map:
		return "map[" + text(t.Key()) + "]" + text(t.Elem())
	case *types.Chan:
		return map[types.ChanDir]string{types.SendRecv: "chan ", types.SendOnly: "chan<- ", types.RecvOnly: "<-chan "}[t.Dir()] + text(t.Elem())
	case *types.Signature:
		return "func" + signatureString(t, text)
	case *types.Struct:
		return structString(t, text)
	case *types.Interface:
		return interfaceString(t, text)
	default:
		return t.String()
	}
}

func signatureString(t *types.Signature, text func(types.Type) string) string {
	list := func(vars *types.Tuple, variadic bool) string {
		var parts []string
		for v := range vars.Variables() {
			parts = append(parts, text(v.Type()))
		}
		if variadic {
			parts[len(parts)-1] = "..." + strings.TrimPrefix(parts[len(parts)-1], "[]")
		}
		return strings.Join(parts, ", ")
	}
	made := "(" + list(t.Params(), t.Variadic()) + ")"
	switch t.Results().Len() {
	case 0:
		return made
	case 1:
		return made + " " + list(t.Results(), false)
	default:
		return made + " (" + list(t.Results(), false) + ")"
	}
}

func structString(t *types.Struct, text func(types.Type) string) string {
	var fields []string
	for i := range t.NumFields() {
		field := text(t.Field(i).Type())
		if !t.Field(i).Embedded() {
			field = t.Field(i).Name() + " " + field
		}
		if tag := t.Tag(i); tag != "" {
			field += fmt.Sprintf(" %q", tag)
		}
		fields = append(fields, " "+field)
	}
	if fields == nil {
		return "struct {}"
	}
	return "struct {" + strings.Join(fields, ";") + " }"
}

func interfaceString(t *types.Interface, text func(types.Type) string) string {
	var methods []string
	for m := range t.Methods() {
		methods = append(methods, " "+m.Name()+signatureString(m.Signature(), text))
	}
	if methods == nil {
		return "interface {}"
	}
	return "interface {" + strings.Join(methods, ";") + " }"
}

// nameOf is reflect.Type.Name.
func nameOf(t *types.Named) string {
	var args []string
	for arg := range t.TypeArgs().Types() {
		args = append(args, reflectString(arg, true))
	}
	if args == nil {
		return t.Obj().Name()
	}
	return t.Obj().Name() + "[" + strings.Join(args, ",") + "]"
}
