package walk

import "reflect"

// A SourceType is a type of Go source code that is not part of the program. The types of integrations/mcptoolvet are such
// types: it runs the checks of registration on the source of other programs. There are no values of a SourceType, so
// functions of package reflect that need one panic. Nothing about it is kept after a check, because vet tools check many
// programs in one process.
type SourceType interface {
	reflect.Type
	// PointerTo is [reflect.PointerTo].
	PointerTo() reflect.Type
	// Declares reports whether the type declares a method that it has, rather than getting it from an embedded field.
	Declares(method string) bool
	// IsOwn reports whether the type belongs to the module whose source is checked.
	IsOwn() bool
}

// IsSource reports whether a type is a [SourceType].
func IsSource(t reflect.Type) bool {
	_, ok := t.(SourceType)
	return ok
}

// pointerTo is [reflect.PointerTo], also for a [SourceType].
func pointerTo(t reflect.Type) reflect.Type {
	if s, ok := t.(SourceType); ok {
		return s.PointerTo()
	}
	return reflect.PointerTo(t)
}
