// Package compat says what a change of a server's tools, prompts and resources means for those who use them: whether calls
// that were right still are, and whether results are still what their readers were promised. A [Snapshot] has what clients
// are shown; [Compare] compares two of them.
//
// A set of arguments that fits the old input schema must fit the new one, or callers break; a
// result that fits the new output schema must fit the old one, or its readers do. Both are the
// same question, whether everything that fits one schema fits another, asked in opposite directions: internal/schemacompare
// answers it, and speech.go words the differences. What cannot be shown to fit
// counts as a difference: a change is called compatible only if it is, and "may break" is said where
// that cannot be told, of patterns, say.
//
// A difference in the other direction is a compatible change: more is accepted, or less is sent. What
// differs without a difference in either direction is wording.
//
// Beyond schemas, clients act on hints (hint.go): they run without asking what they were told is
// read-only, and repeat what is idempotent. A tool that loses such a hint breaks an agreement, too. What a default was is
// what a call without the argument meant.
//
// Prompts (prompt.go) and resources (resource.go) have no schemas: their names, arguments, URIs and MIME types are compared.
// A snapshot of an earlier version has tools only; its other lists count as not recorded, not as empty.
package compat
