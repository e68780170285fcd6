// Package walk walks Go types: it determines their JSON forms, reads their tags, and builds their schemas.
//
// A [Resolver] makes the graph of [codec.Node] values for a root type, in two steps. It first resolves the types of all
// fields, and then settles their tags with package tag, because the valid keywords depend on the types. A [Builder] makes
// a schema of the graph, which package reflectschema renders and checks. Mistakes of the author do not stop the walk, so
// that all of them are found: they are collected with their [Location], and a type that is refused becomes one that may
// be any JSON.
//
// # Reading order
//
//   - resolve.go, then known.go: the JSON form of a type
//   - field.go, struct.go: the members of a struct, and when they may be absent or null
//   - typetag.go, tooltag.go: tags that describe a struct or a tool
//   - registration.go, union.go, table.go: registrations of types and of unions, and where they are looked up
//   - described.go: schemas of types by their OpenAPI methods or by name, without registration
//   - source.go: types of source code
//   - hook.go: JSONSchema and JSONSchemaExtend methods
//   - schema.go, then leaf.go, text.go, defs.go: the schema, and which types become definitions
//
// # Invariants
//
//   - There is one node for each type and direction. After [Resolver.Run] it does not change.
//   - Schemas are made of nodes and settings alone. The codec uses the same nodes, so that both describe the same JSON.
//   - The order of members, definitions and mistakes depends on the source alone: schemas are the same in each run.
//   - The registrations are the only state of the package. A type that has been compiled without one cannot
//     get one there later.
package walk
