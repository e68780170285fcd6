// Package wellknown registers JSON Schemas for types of well-known modules. Their MarshalJSON and UnmarshalJSON methods
// write and read strings, numbers or null, but the schema that package reflectschema derives from such a type is {}, which
// does not describe them to a model. The package identifies the types by name, and does not import their modules.
//
//	package main
//
//	import "github.com/mcptool-go/mcptool/reflectschema/wellknown"
//
//	func init() { wellknown.Register() }
//
// After that, a decimal.Decimal in the arguments or the result of a tool is a string of digits or a number, and the tags
// of a field can narrow it further, as for types that are registered with [reflectschema.RegisterSchema].
//
// [Register] documents the types and the versions of their modules.
package wellknown
