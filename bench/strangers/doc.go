// Package strangers runs MCP servers that are not of our making, for tests of what looks at
// servers of any framework; and examples of our own beside them.
//
//	func TestDocsStrangers(t *testing.T) {
//		strangers.Each(t, func(t *testing.T, s strangers.Server) {
//			… s.Target, s.Tool, s.Arguments
//		})
//	}
//
// Each runs a subtest per server, All returns the servers themselves: of the official Go SDK
// and of mcp-go, built from the examples in their modules, which go.mod has anyway; the
// reference server for Node; and of ours. A Target over HTTP is a server that runs until the
// end of the test; one over stdio is started by who dials it.
//
// A test that uses them has Strangers in its name, so that
//
//	go test -run Strangers ./bench/...
//
// runs all of these. The server for Node is there only where MCPTOOL_STRANGERS_MODULES names
// the node_modules it is installed in; without it, its subtest is skipped, with it, that the
// server is missing is a failure. MCPTOOL_STRANGERS_NODE names the node to run it with,
// which is node by default. internal/interop/run sets both.
//
// Binaries are kept in the user's cache directory, one set for each checkout; go build finds
// out whether they are up to date.
package strangers
