// Package declared has generated types for tests, which then need not build a program for them.
//
// The file is source and not a table of types with verdicts. Package reflect cannot create named types, so the types that
// crosscheck creates at run time have no methods, unions, recursion or embedding by name; these types add them. Verdicts are
// not listed: another validator gives them for each input. Do not edit the file: go generate writes it, and
// TestDeclaredIsGenerated compares it with the output of the generator.
package declared
