// Package compat classifies the changes between two versions of a server's tools, prompts and resources: do calls that
// were valid still work, and do results still have the form that clients rely on? A [Snapshot] contains the lists that
// a server publishes; [Compare] compares two snapshots.
//
// Arguments that fit the old input schema must fit the new one, or the change breaks callers. A result that fits the
// new output schema must fit the old one, or the change breaks readers. Both are the same question in opposite
// directions: does everything that fits one schema fit the other? Package internal/schemacompare answers it, and
// speech.go describes the differences in words. A change is called compatible only if that is proved; where it cannot
// be decided, for example between two patterns, the class is [MayBreak].
//
// A difference in the other direction is a compatible change: the server accepts more, or sends less. Schemas that
// differ in neither direction differ in wording.
//
// Clients also act on hints (hint.go): they run read-only tools without asking the user, and retry idempotent ones.
// Withdrawing such a hint can break them although every call still fits. A changed default changes the meaning of a
// call that omits the argument.
//
// Prompts (prompt.go) and resources (resource.go) have no schemas: their names, arguments, URIs and MIME types are
// compared. Snapshots of earlier versions contain only tools; their other lists count as not recorded, not as empty.
package compat
