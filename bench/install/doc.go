// Package install adds an MCP server to the configuration of a client, or removes it, and preserves the rest of the
// file.
//
// The differences between clients are data (clients.go): the location of the file, the member that contains the
// servers, and the format of a command and a URL. A [Request] in the user's terms becomes an entry (server.go,
// resolve.go).
//
// The file is parsed as JSON with comments and trailing commas into a tree that preserves every byte (document.go). It
// is edited in one location only (edit.go), in the style of the surrounding text (layout.go). So unknown members, the
// order of members, indentation, line endings, a byte order mark and comments are preserved. A file that cannot be
// parsed is rejected with the location of the error, and is not changed.
//
// TOML and YAML files only get new entries, as inserted lines (text.go). If an insertion would change the meaning of
// anything else, it is rejected.
//
// The file is replaced atomically (replace.go): the new file is written to the same directory, synced and renamed,
// after a backup that never overwrites an older one. Only one process at a time changes a file (lock.go). If another
// program writes the file meanwhile, the change is recomputed from the new contents.
package install
