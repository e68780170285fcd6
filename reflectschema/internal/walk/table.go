package walk

import (
	"reflect"
	"sync"

	"github.com/mcptool-go/mcptool/reflectschema/internal/codec"
)

// A Table has the registrations of one compile, which take precedence over those of [Global]. The zero value is empty. It
// is safe for concurrent use.
type Table struct {
	byType sync.Map // reflect.Type of an interface to *Union, of another type to *Registration
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

// dynamicNode returns the node of the dynamic type of a value in an interface without methods, nil if JSON cannot
// represent the type.
func (t *Table) dynamicNode(goType reflect.Type) *codec.Node {
	r := NewResolver(codec.Output, t)
	n := r.Run(goType)
	if len(r.mistakes) > 0 {
		return nil
	}
	r.NoteCompiled()
	return n
}
