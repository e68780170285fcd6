// Package schemacompare answers one question about two JSON Schema documents: does everything that fits the first one fit
// the second ([Compare])? The answer is a list of differences, each with its location and what either schema says there, so
// that internal/compat can describe what a change of a tool breaks. Servers do not link it.
//
// The first schema is taken apart into branches ([Document.Branches], [Branch]): lists of plain schemas that hold together,
// one list for each combination of alternatives. Each branch is held against the second schema keyword by keyword
// (compare.go, scalar.go, container.go, alternatives.go); for listed values it is tried which of them fit (fits.go); and a
// schema that is there on both sides is recognized (same.go).
//
// The comparison is sound: it finds no difference only if there is none. What it does not work out, such as whether one pattern
// is stricter than another, is a difference with a [Doubt]. It takes bounded time, whatever the schemas are.
package schemacompare
