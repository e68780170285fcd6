package private

import "fmt"

// provided are the sets of funcs that packages have provided. Packages are initialized one after the other, so it needs no lock.
var provided []any

// Provide makes a set of funcs available to [Take], to be called while a package is initialized. What it returns
// says nothing; it lets a package call it in the declaration of a variable.
func Provide[F any](funcs F) (done struct{}) {
	provided = append(provided, funcs)
	return done
}

// Take returns the set of funcs of type F. It panics if there is none: the package that provides it is not imported.
func Take[F any]() F {
	for _, set := range provided {
		if funcs, ok := set.(F); ok {
			return funcs
		}
	}
	panic(fmt.Sprintf("private: no package provides %T", *new(F))) //nolint:forbidigo // a mistake in this module, found when a program starts
}
