// Package rules checks JSON text against a schema in one pass, without building values. It is the fast path of checking.
//
// [Of] makes [Rules] from a document, or returns nil if the document has a keyword that the package does not support.
// [Rules.Check] reports whether a value is known to be valid; it never reports that a value is invalid. Package
// authority checks the values that are not known to be valid, and finds the violations. The plans of package codec
// use the same [Reader] to decode and check in one pass.
package rules
