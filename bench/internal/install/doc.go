// Package install adds an MCP server to the configuration of a client, or removes it, and preserves the rest of the
// file.
//
// The differences between clients are data (clients.go): the location of the file, the member that contains the
// servers, and the format of a command and a URL. A [Request] in the user's terms becomes an entry (server.go,
// resolve.go).
//
// A file is edited as text at one place (json.go, text.go), so comments, order and line endings are preserved. The
// result is then parsed and compared with the expected values (plan.go): if anything else changed its meaning, the
// change is rejected. A file that cannot be parsed is rejected with the location of the error.
package install
