// Package install adds an MCP server to the configuration of a client, and removes it, and keeps everything else in the
// file.
//
// What differs between clients is data (clients.go): where the file is, what the member is called that holds the
// servers, how a command and how a URL are written. A [Request] with the words of a user becomes an entry
// (server.go, resolve.go).
//
// The file is read as JSON with comments and trailing commas, as a tree that knows each of its bytes
// (document.go), and changed at one place only (edit.go), in the style of what stands around it (layout.go).
// So unknown members, the order of members, indentation, ends of lines, a byte order mark and comments
// stay as they are. What cannot be read is refused with its place, and is not touched.
//
// Files in TOML and YAML only get new entries, as lines that are inserted (text.go), and are refused if anything else would
// change its meaning by that.
//
// The new file replaces the old one whole or not at all (replace.go): it is written beside it, synced and renamed, after
// a backup that never replaces an older one. One process at a time changes a file (lock.go), and if another program
// writes it meanwhile, all begins again from what it has written.
package install
