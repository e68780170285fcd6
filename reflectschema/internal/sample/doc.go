// Package sample makes small valid values for a JSON Schema document, to be shown to people and models.
//
// It supports the common keywords, but not all combinations of them; the caller checks whether a value is valid. It is
// independent of Go types: a [Reader] returns values for types that accept fewer values than their schema allows.
package sample
