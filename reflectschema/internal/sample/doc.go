// Package sample makes values for a JSON Schema document.
//
// [Maker.Example] returns a small value that fits, to be shown to people and models. [Maker.Variants] returns many values
// at the edges of the schema, most of which differ from a small one in one place: bounds and what lies just beyond them,
// members left out, other types.
//
// The package knows the keywords that people use. Whether a value fits is for the caller to check: what several keywords
// ask for together is not worked out. It knows no Go types either; what a type reads beyond its schema is asked of
// a [Reader].
package sample
