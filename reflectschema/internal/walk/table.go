package walk

import (
	"reflect"
	"sync"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
)

// A Table has the registrations of one compile, which take precedence over those of [Global]. The zero value is empty. It
// is safe for concurrent use.
type Table struct {
	byType sync.Map // reflect.Type to *Registration or, of an interface, to *Union
	plans  codec.DynamicPlans
}

// Global has the registrations of the whole program.
var Global = new(Table)

// lookUp returns the registration of a type, an R, or nil if there is none.
func lookUp[R Union | Registration](t *Table, goType reflect.Type) *R {
	found, ok := t.byType.Load(goType)
	if !ok && t != Global {
		found, _ = Global.byType.Load(goType)
	}
	r, _ := found.(*R)
	return r
}

// store adds r, the registration of a type, unless the table has one already. It returns a mistake if it is too late, or
// if the table has one that is not the same.
func (t *Table) store(goType reflect.Type, r any, isSame func(known any) bool) []tag.Mistake {
	known, ok := t.byType.Load(goType)
	if _, late := CompiledTypes.Load(goType); !ok && late && t == Global {
		return []tag.Mistake{TooLate}
	}
	if !ok {
		known, ok = t.byType.LoadOrStore(goType, r)
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
func (t *Table) DynamicNode(goType reflect.Type) (n *codec.Node, problem string) {
	r := NewResolver(codec.Output, t)
	r.lenient = true
	n = r.Run(goType)
	if len(r.mistakes) > 0 {
		first := r.Sorted()[0]
		return nil, Line(NameOf(first.Owner), first.GoPath, first.Path, first.Mistake)
	}
	r.NoteCompiled()
	return n, ""
}
