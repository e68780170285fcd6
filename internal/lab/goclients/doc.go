// Package goclients tests the server with the clients of the official Go SDK and of mcp-go: prompts, resources,
// completion and subscriptions, in every revision to which a client can be pinned, over stdio and over Streamable HTTP.
//
// The package has only tests. For stdio the server is another process of the test binary; for HTTP it runs in the same
// process.
//
//	go test -run '/gosdk/2026-07-28/http$' ./internal/lab/goclients
package goclients
