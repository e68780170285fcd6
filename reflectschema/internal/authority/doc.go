// Package authority is the JSON Schema validator (draft 2020-12 and draft-07), with limits on time and memory. Only this
// package finds a value invalid, but for members that are missing or unknown, which the plans of package reflectschema find
// too.
//
// [Parse] reads strict JSON (RFC 7493), with limits on depth and on the size of numbers. [Compile] compiles a document with
// github.com/santhosh-tekuri/jsonschema into an [Authority], which loads no other documents and asserts formats. It
// replaces the keywords whose implementation in the library can be slow, or reports a wrong location. [Authority.Check]
// first determines, in bounded time and memory, whether a value fits. Only if it does not, the library searches for the
// reasons, in parts of the value that are small enough.
//
// The result is the error tree of the library. Package reflectschema makes violations of it.
package authority
