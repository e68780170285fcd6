// Package schemacompare decides whether everything that fits one JSON Schema document also fits another ([Compare]).
// The result is a list of differences, each with its location and the schemas of both documents for that location, from
// which internal/compat describes what a change of a tool breaks. Servers do not link this package.
//
// The first schema is split into branches ([Document.Branches], [Branch]): lists of schemas that apply together, one
// list for each combination of alternatives. Each branch is compared with the second schema keyword by keyword
// (compare.go, scalar.go, array.go, object.go, alternatives.go). If a branch lists its values, each of them is checked
// instead (fits.go). Equivalent schemas are recognized first (same.go).
//
// The comparison is sound: without a difference, the first document implies the second. What it cannot decide, such as
// whether one pattern is stricter than another, is a difference with a [Doubt]. Its time is bounded for all schemas.
package schemacompare
