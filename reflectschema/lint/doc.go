// Package lint reports the parts of a JSON Schema that MCP clients reject or ignore. The schema may come from any server.
//
// Not every client supports all of JSON Schema: some reject boolean schemas, some a list of types, some references. A
// [Profile] is a kind of client with its known rules. [Document] applies the rules of one profile to a schema document,
// and [Schema] to a parsed one. Each [Finding] contains the rule, the location and the part of the schema that breaks
// the rule; the [Rule] contains the behaviour of the client, a fix, and a [Severity], which is the consequence of
// breaking it. The rules are data, each with its source and the day on which the source was read; [Profile.Rules]
// returns them.
//
// The rules of the profile [ProfileAnyClient] are about mistakes that JSON Schema allows, such as misspelt keywords. Package
// reflectschema rejects these in schemas that are registered for a type and in those that JSONSchema methods make,
// package mcptool in all other schemas that are written by hand.
//
// All functions and methods of this package are safe for concurrent use.
package lint
