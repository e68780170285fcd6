// Package thirdparty tests the command bench and its client against MCP servers built with other frameworks, and
// against examples of this module: the official Go SDK and mcp-go, built from the examples in their modules, which
// go.mod requires anyway; the reference server for Node; and ours.
//
// The package has only tests. Each test runs a subtest per server, so
//
//	go test -run '/gosdk-everything$' ./internal/lab/thirdparty
//
// runs all tests against one server.
//
// The server for Node is tested only if MCPTOOL_THIRDPARTY_MODULES names the node_modules directory with the server;
// without it, its subtests are skipped, and with it, a missing server is a failure. MCPTOOL_THIRDPARTY_NODE names the
// node binary to run it with; the default is node. internal/interop/run sets both.
//
// Programs are kept in the user's cache directory, one set per checkout; go build determines whether they are up to
// date.
package thirdparty
