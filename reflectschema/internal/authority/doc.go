// Package authority holds the JSON Schema validator, the only thing that ever calls a value invalid, behind its guard.
//
// [Parse] lets only strict JSON in: unique names, valid UTF-8, bounded depth and numbers. [Compile] makes a document into an
// [Authority] that loads nothing and asserts formats; keywords whose implementation in the library can be made slow, or
// reports a wrong place, are replaced by ours. [Authority.Check] first finds out whether a value fits, in bounded
// time and memory; only of a value that does not fit the library is asked why, in pieces small enough for it.
//
// What failed is returned as the library's error tree. Package reflectschema words it.
package authority
