// Package private gives the packages of this module funcs of one another that their public APIs do not have. A package
// provides a set of funcs when it is initialized, and thus before any package that imports it:
//
//	var _ = private.Provide(private.Calls[*Tool, *Result, Middleware]{Append: (*Tool).appendCall, …})
//
// One that imports it takes the set once, into a variable of its own, and calls the funcs from there:
//
//	var calls = private.Take[private.Calls[*mcptool.Tool, *mcptool.Result, mcptool.Middleware]]()
//
// This package imports neither, so the sets have type parameters in the place of the types of the package that provides
// them. A call through a set costs what a call of a func value costs.
package private
