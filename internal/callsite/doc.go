// Package callsite finds the location in an author's code that called into the
// framework, for error messages.
package callsite
