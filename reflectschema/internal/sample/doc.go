// Package sample makes values for a JSON Schema document.
//
// [Maker.Example] returns a small valid value, to be shown to people and models. [Maker.Variants] returns many values
// for tests, most of which differ from a small valid value at one location: at and just beyond a bound, without a
// member, or with another type.
//
// The package supports the common keywords, but not all combinations of them; the caller checks whether a value is
// valid. It is independent of Go types: a [Reader] returns values for types that accept fewer values than their schema
// allows.
package sample
