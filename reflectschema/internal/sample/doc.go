// Package sample makes values for a JSON Schema document.
//
// [Maker.Example] returns a small value that fits, to be shown to people and models. [Maker.Variants] returns many values
// at the limits of the schema, most of which differ from a small one in one place: at bounds and just beyond them, without
// a member, of another type.
//
// The package supports the common keywords, and does not solve combinations of them; the caller checks whether a value
// fits. It does not know Go types: a [Reader] returns the values that a type accepts where its schema does not describe
// them.
package sample
