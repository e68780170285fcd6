// Package placeholder makes an example of a value for a JSON Schema document, to be shown in an error: of the values that
// the document lists (const, examples, default, enum), and of a fixed placeholder for each type and format.
//
// It does not solve combinations of keywords, and it knows no Go types. The caller checks whether the value fits. Package
// samples searches further, but is only linked into tests and tools.
package placeholder
