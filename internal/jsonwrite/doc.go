// Package jsonwrite appends JSON text to byte slices.
//
// It is the writing half of what internal/jsonscan reads: append-style
// encoders for code that knows the shape of what it writes. Everything it
// appends is valid UTF-8 and free of line breaks, whatever it is given.
package jsonwrite
