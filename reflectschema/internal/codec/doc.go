// Package codec decodes and encodes the JSON of Go types.
//
// A [Node] is the JSON form of a Go type: its [Kind], the nodes of its parts, and the names and options of its fields.
// Package reflectschema makes the nodes from Go types and tags, and derives the schema from them as well. Package codec
// reads no tags and makes no schemas. A [Plan] converts between JSON and Go values, in one of two ways:
//
//   - A plan of [NewPlan] is a node bound to the rules of a schema. It decodes and checks in one pass, or encodes and checks
//     in one pass. If it cannot decide whether a value is valid, the caller takes the other way.
//   - A plan of [NewUncheckedPlan] is a node without a schema. It decodes strict JSON and collects every part that the Go type
//     cannot hold, or encodes and finds a part that cannot be written. The caller checks the JSON against the schema.
//
// # Reading order
//
//   - node.go, schema.go: what is decoded and encoded
//   - violation.go: what is wrong with a value
//   - plan.go: making plans
//   - decode.go, then plan_struct.go, plan_union.go, plan_container.go, plan_scalar.go: decoding, by both kinds of plans
//   - collector.go: why parts of a value cannot be decoded
//   - encode.go, then encode_scalar.go, encode_container.go: encoding, by both kinds of plans
//   - methods.go: calls of methods of types and of registered functions
//   - memory.go: how much memory decoded values may take
//   - reader.go: values that types accept, for examples of package sample
//
// # Invariants
//
//   - Nodes do not change once they are resolved, and plans do not change once they are made: both are safe for
//     concurrent use.
//   - A checked plan never takes an invalid value. Both kinds of plans decode equal values and encode the same bytes. FuzzPlan
//     of package reflectschema checks both.
//   - An unchecked plan checks the JSON type of each value that it decodes, because a schema may be from a method of a type
//     and allow anything.
//   - All code of a user's type is called by contain, in methods.go, which turns a panic into an error.
//   - Violations are text for the sender of the JSON: they contain no names of Go types.
package codec
