package reflectschema

import (
	"errors"
	"reflect"

	"github.com/mcptool-go/mcptool/reflectschema/internal/tag"
	"github.com/mcptool-go/mcptool/reflectschema/internal/walk"
)

// A TypeOption describes one Go type in one [Compile], and leaves the rest of the program as it is: see Types of [Options].
// [WithUnion], [WithEnum], [WithTypeSchema] and [WithTypeCodec] return one. Unlike [Union], [Enum], [TypeSchema] and
// [TypeCodec] they can be called at any time, do not panic, and can describe one type in several ways, in different
// compiles; Compile returns their mistakes. An option is immutable and safe for concurrent use.
type TypeOption interface{ register(in *walk.Table) error }

// typeOption is the only implementation of [TypeOption].
type typeOption struct {
	goType             reflect.Type
	function, location string        // see walk.Registration
	mistakes           []tag.Mistake // found when the option was made
	store              func(*walk.Table) []tag.Mistake
}

func (o *typeOption) register(in *walk.Table) error {
	mistakes := o.mistakes
	if len(mistakes) == 0 {
		mistakes = o.store(in)
	}
	return registrationErrors(o.goType, o.function, o.location, mistakes)
}

// register registers a type for the whole program.
func register(o TypeOption) struct{} {
	if err := o.register(walk.Global); err != nil {
		panic(err) //nolint:forbidigo // as http.HandleFunc does: a declaration cannot handle an error
	}
	return struct{}{}
}

// tableOf returns the registrations of options, or all their mistakes.
func tableOf(opts []TypeOption) (*walk.Table, error) {
	table := new(walk.Table)
	var all TypeErrors
	for _, o := range opts {
		if o == nil {
			all = append(all, &TypeError{Type: "nil", Reason: "the TypeOption is nil", Fix: "leave it out"})
			continue
		}
		if errs, ok := errors.AsType[TypeErrors](o.register(table)); ok {
			all = append(all, errs...)
		}
	}
	if len(all) > 0 {
		return nil, all
	}
	return table, nil
}
