// Package mcptoolvet finds mistakes in tools, prompts, resources and forms without running the program. Its [Analyzer]
// runs in go vet, with the command cmd/mcptoolvet, and in golangci-lint, with the package plugin. The guide is docs/vet.md
// in the repository.
//
// # How it works
//
// The analyzer has no rules of its own. It finds the calls of Register, New and the like, converts the types of their
// functions into reflect.Types that read go/types, and passes them to the checks of package mcptool. It then looks for the
// field of each mistake in the source. A mistake that it reports has the same text as in the error of the call.
//
// A type that is registered with package reflectschema, or that makes its schema with a method, counts as any JSON, and
// mistakes in fields of such types are not reported. Registrations, and calls of wellknown.Register, are found in the package
// and in those that it imports.
//
// The tag enum=const lists the constants that generated files with doc comments register. If there
// are none for a type, the analyzer uses the constants in its source, except in package main: a
// package that imports this one may have the generated file.
//
// # Reading order
//
//   - analyzer.go, constants.go: the calls, and the registered types and constants
//   - check.go, option.go, question.go: the checks of calls, and what their options are
//   - typetable.go, gotype.go: the types
//   - report.go, fix.go: where a mistake is in the source, and the suggested fix
package mcptoolvet
