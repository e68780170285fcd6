// Package comment gives doc comments to the packages that describe schemas and tools. Reflection
// cannot read comments, so generated files register them with package reflectschema/doccomment.
// Programs without such a file do not link that package.
package comment

import "reflect"

// By default, these funcs find no comments. Package doccomment replaces them when it is
// initialized.
var (
	// OfFunc returns the comment of a func by its symbol, see [runtime.Func.Name].
	OfFunc = func(symbol string) (text string) { return "" }
	// OfMember returns the comment of a field or method of a type.
	OfMember = func(t reflect.Type, name string) (text string) { return "" }
	// Describe returns the description of a schema, or else the comment of its type, and below it
	// the comments of those constants of the type that are listed in the enum.
	Describe = func(description string, t reflect.Type, enum []any) string { return description }
	// Constants returns the values of the constants of a string type, in the order of their
	// declaration.
	Constants = func(t reflect.Type) (values []string) { return nil }
)
