// Package jsonwrite appends JSON text to byte slices.
//
// It is the counterpart of internal/jsonscan: append-style encoders for code that knows the structure of its output.
// [String], [Strings] and [Text] write valid UTF-8 without line breaks for any input; the other functions document what
// they require.
package jsonwrite
