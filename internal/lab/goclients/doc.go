// Package goclients tests our server with the clients of the official Go SDK and of mcp-go: prompts, resources, completion
// and subscriptions, in every revision that a client can be pinned to, over stdio and over Streamable HTTP.
//
// The package has no code but tests. The server is the test binary itself, started again for stdio, and in the same
// process for HTTP.
//
//	go test -run '/gosdk/2026-07-28/http$' ./internal/lab/goclients
package goclients
