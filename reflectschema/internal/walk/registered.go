package walk

import (
	"reflect"
	"sync"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// registered has the registrations of the program: reflect.Type to *Registration or, of an interface, to *Union.
var registered sync.Map

// dynamicPlans has the plans of dynamic types.
var dynamicPlans codec.DynamicPlans

// lookUp returns the registration of a type, an R, or nil if there is none.
func lookUp[R Union | Registration](goType reflect.Type) *R {
	found, _ := registered.Load(goType)
	r, _ := found.(*R)
	return r
}

// store adds r, the registration of a type, unless there is one already. It returns a mistake if it is too late, or if
// there is one that is not the same.
func store(goType reflect.Type, r any, isSame func(known any) bool) []tag.Mistake {
	known, ok := registered.Load(goType)
	if _, late := CompiledTypes.Load(goType); !ok && late {
		return []tag.Mistake{TooLate}
	}
	if !ok {
		known, ok = registered.LoadOrStore(goType, r)
	}
	if !ok || isSame(known) {
		return nil
	}
	before, _ := known.(interface {
		origin() (function, location string)
	})
	function, location := before.origin()
	return []tag.Mistake{{Reason: "it was registered differently by " + function + " at " + location, Fix: "keep one"}}
}

// DynamicNode returns the node of the dynamic type of a value in an interface. No schema describes the value, so mistakes
// that encoding/json ignores are ignored. If the type has no JSON form, problem is its first mistake, with the fix.
func DynamicNode(goType reflect.Type) (n *codec.Node, problem string) {
	r := NewResolver(codec.Output)
	r.lenient = true
	n = r.Run(goType)
	if len(r.mistakes) > 0 {
		first := r.Sorted()[0]
		return nil, Line(NameOf(first.Owner), first.GoPath, first.Path, first.Mistake)
	}
	r.NoteCompiled()
	return n, ""
}
