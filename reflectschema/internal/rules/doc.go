// Package rules checks JSON text against a schema in one pass, without building values: the fast path.
//
// [Of] makes [Rules] of a document whose every keyword is known here, and returns nil for any other. [Rules.Check] answers
// "valid" or "don't know", never "invalid": what is not known to be valid is left to package authority, which also gives
// the reasons. The [Reader] is shared with the plans of package reflectschema, which check and decode in the same pass.
package rules
