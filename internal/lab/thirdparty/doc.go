// Package thirdparty tests the command bench and its client against MCP servers that are made with other frameworks,
// and against examples of our own: the official Go SDK and mcp-go, built from the examples in their modules, which
// go.mod requires anyway; the reference server for Node; and ours.
//
// The package has no code but tests. Each test runs a subtest per server, so
//
//	go test -run '/gosdk-everything$' ./internal/lab/thirdparty
//
// runs them all against one server.
//
// The server for Node is tested only where MCPTOOL_THIRDPARTY_MODULES names the node_modules directory that it is
// installed in; without it, its subtests are skipped, and with it, a missing server is a failure.
// MCPTOOL_THIRDPARTY_NODE names the node to run it with; the default is node. internal/interop/run sets both.
//
// Programs are kept in the user's cache directory, one set for each checkout; go build decides whether they are up to
// date.
package thirdparty
