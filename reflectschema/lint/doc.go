// Package lint reports what clients of tools would refuse or ignore in a JSON Schema, from any server.
//
// Valid JSON Schema is not what every client reads: some refuse a boolean in the place of a schema, some a list of types,
// some a reference. A [Profile] is a kind of client with the rules that are known of it. [Document] applies the rules of one
// profile to a schema document, and [Schema] to one that has been parsed; each [Finding] says what breaks which rule, where,
// what the client does, and what to write instead. The rules are data, each with its source and the day it was read:
// [Profile.Rules] lists them. The consequence of breaking a rule is its [Severity].
//
// The profile [AnyClient] is of mistakes that JSON Schema lets pass, such as misspelt keywords. Package reflectschema refuses
// them in schemas that are registered for a type and in those that a JSONSchema method makes, package mcptool in all others
// that are written by hand.
//
// Everything here is safe for concurrent use.
package lint
