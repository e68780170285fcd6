package mcptoolvet

import (
	"context"
	"encoding/json"
	"go/types"
	"io"
	"iter"
	"math/big"
	"net/netip"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema/datetime"
)

// A typeTable has the reflect.Type of each types.Type of one package.
type typeTable struct {
	types      typeutil.Map // types.Type to *goType
	methods    typeutil.MethodSetCache
	registered map[string]bool     // the types that have a registration, see registrations
	constants  map[string][]string // the registered constants of string types, by typeID
	isMain     bool                // no other package can register a type
	pass       *analysis.Pass
}

// isOwn reports whether a type belongs to the module of the package. The path of another module may begin with the path of
// this module; its directory is in the module cache, with an @ before the version, or in a vendor directory.
func (table *typeTable) isOwn(obj types.Object) bool {
	pkg := obj.Pkg()
	if pkg == nil || pkg == table.pass.Pkg {
		return pkg != nil
	}
	module, file := table.pass.Module, filepath.ToSlash(table.pass.Fset.Position(obj.Pos()).Filename)
	return module != nil && module.Path != "" && strings.HasPrefix(pkg.Path()+"/", module.Path+"/") &&
		!strings.Contains(file, "@") && !strings.Contains(file, "/vendor/")
}

// known maps ids to the types that the checks compare with types of their own program, or whose values they decode. All
// other defined types are read from source code alone.
var known = func() map[string]reflect.Type {
	byID := map[string]reflect.Type{"error": reflect.TypeFor[error]()}
	for _, t := range []reflect.Type{
		reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](), reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](),
		reflect.TypeFor[big.Int](), reflect.TypeFor[big.Float](), reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.AddrPort](),
		reflect.TypeFor[netip.Prefix](), reflect.TypeFor[datetime.Date](), reflect.TypeFor[datetime.Duration](), reflect.TypeFor[context.Context](), reflect.TypeFor[io.Reader](),
		reflect.TypeFor[mcptool.Result](), reflect.TypeFor[mcptool.Content](), reflect.TypeFor[mcptool.Message](),
		reflect.TypeFor[mcptool.PromptResult](), reflect.TypeFor[mcptool.ResourceContents](),
	} {
		byID[t.PkgPath()+"."+t.Name()] = t
	}
	for _, zero := range registration.ContentTypes() {
		t := reflect.TypeOf(zero)
		byID[t.PkgPath()+"."+t.Name()] = t
	}
	return byID
}()

// typeID identifies a defined type, without its type arguments.
func typeID(t *types.Named) string {
	if t.Obj().Pkg() == nil {
		return t.Obj().Name()
	}
	return t.Obj().Pkg().Path() + "." + t.Obj().Name()
}

// reflect returns the type as a type of this program if the two are the same, otherwise as a *goType. An opaque type
// becomes any.
func (table *typeTable) reflect(t types.Type) reflect.Type {
	t = types.Unalias(t)
	switch t := t.(type) {
	case *types.Basic:
		if basic := kinds[t.Kind()]; basic != nil {
			return basic
		}
	case *types.Named:
		if same := known[typeID(t)]; same != nil {
			return same
		}
	case *types.Pointer:
		if elem := table.ours(t.Elem()); elem != nil {
			return reflect.PointerTo(elem)
		}
	case *types.Slice:
		if elem := table.ours(t.Elem()); elem != nil {
			return reflect.SliceOf(elem)
		}
	case *types.Struct:
		if t.NumFields() == 0 {
			return reflect.TypeFor[struct{}]()
		}
	case *types.Interface:
		if t.Empty() {
			return reflect.TypeFor[any]()
		}
	case *types.Signature:
		if same := reflect.TypeFor[func(context.Context) error](); reflectString(t, false) == same.String() {
			return same // of methods that are not meant as tools
		}
	}
	if table.isOpaque(t) {
		return reflect.TypeFor[any]()
	}
	if made, ok := table.types.At(t).(*goType); ok {
		return made
	}
	made := &goType{of: t, in: table}
	table.types.Set(t, made)
	return made
}

// ours returns the type if it is one of this program, otherwise nil.
func (table *typeTable) ours(t types.Type) reflect.Type {
	for inner := t; ; {
		switch u := types.Unalias(inner).(type) {
		case *types.Pointer:
			inner = u.Elem()
			continue
		case *types.Slice:
			inner = u.Elem()
			continue
		case *types.Basic:
			if kinds[u.Kind()] == nil {
				return nil
			}
		case *types.Named:
			if known[typeID(u)] == nil {
				return nil
			}
		case *types.Interface:
			if !u.Empty() {
				return nil
			}
		case *types.Struct:
			if u.NumFields() > 0 {
				return nil
			}
		default:
			return nil
		}
		break
	}
	return table.reflect(t)
}

// key is reflect for the key of a map. An opaque type becomes string.
func (table *typeTable) key(m *types.Map) reflect.Type {
	if table.isOpaque(m.Key()) {
		return reflect.TypeFor[string]()
	}
	return table.reflect(m.Key())
}

// method returns the method of a type, nil if it has none of the name.
func (table *typeTable) method(t types.Type, name string) *types.Selection {
	return table.methods.MethodSet(t).Lookup(nil, name)
}

// isOpaque reports whether the JSON of a type is not known from its source: it has a registration, or a method that
// makes its schema when the program runs; it is a type parameter; or it embeds such a type. An interface with methods may
// be registered by a package that imports this one.
func (table *typeTable) isOpaque(t types.Type) bool {
	return table.opaque(types.Unalias(t), map[types.Type]bool{})
}

func (table *typeTable) opaque(t types.Type, seen map[types.Type]bool) bool {
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t := t.(type) {
	case *types.TypeParam:
		return true
	case *types.Named:
		if known[typeID(t)] != nil {
			return false
		}
		_, isStruct := t.Underlying().(*types.Struct)
		if table.registered[typeID(t)] || table.registered[anyType] && !isStruct || table.describesItself(t) {
			return true
		}
	}
	if u, ok := t.Underlying().(*types.Interface); ok {
		return u.NumMethods() > 0 && !table.isMain
	}
	u, ok := t.Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for v := range u.Fields() {
		if !v.Embedded() {
			continue
		}
		embedded := types.Unalias(v.Type())
		if pointer, ok := embedded.(*types.Pointer); ok {
			embedded = types.Unalias(pointer.Elem())
		}
		if table.opaque(embedded, seen) {
			return true
		}
	}
	return false
}

func (table *typeTable) describesItself(t types.Type) bool {
	if types.IsInterface(t) {
		return false
	}
	pointer := types.NewPointer(t)
	return slices.ContainsFunc([]string{"JSONSchema", "JSONSchemaExtend", "OpenAPISchemaType"}, func(name string) bool { return table.method(pointer, name) != nil })
}

// involvesOpaque reports whether values of a type contain values of an opaque type.
func (table *typeTable) involvesOpaque(t types.Type) bool {
	for part := range parts(t) {
		if table.isOpaque(part) {
			return true
		}
	}
	return false
}

// parts returns the types, and the types that their values are made of, each once, breadth first.
func parts(roots ...types.Type) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		var seen typeutil.Map
		for queue := roots; len(queue) > 0; queue = queue[1:] {
			t := types.Unalias(queue[0])
			if seen.Set(t, true) != nil {
				continue
			}
			if !yield(t) {
				return
			}
			if named, ok := t.(*types.Named); ok && known[typeID(named)] != nil {
				continue
			}
			switch u := t.Underlying().(type) {
			case *types.Map:
				queue = append(queue, u.Key(), u.Elem())
			case interface{ Elem() types.Type }:
				queue = append(queue, u.Elem())
			case *types.Struct:
				for v := range u.Fields() {
					queue = append(queue, v.Type())
				}
			}
		}
	}
}
