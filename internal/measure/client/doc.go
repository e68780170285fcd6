// Package client implements an MCP client for servers built on any framework, over stdio and Streamable HTTP. It
// supports the legacy era (initialize and a session) and the modern one (2026-07-28, with independent requests).
//
// Dial starts a command or connects to a URL and detects the era of the server. After that the API is the same for both
// eras. Client.Tools lists tools, and Client.Call calls one. Client.Prompts, Client.GetPrompt, Client.Resources,
// Client.ResourceTemplates, Client.ReadResource and Client.Complete are the counterparts for the other features, if the
// server declares them. Client.Subscribe subscribes to changes of a resource or of the tools; Client.Request sends any other
// request. The client answers pings, and passes notifications to Options.Notify and elicitations to Options.Elicit,
// whether they arrive as server requests or as results that require input.
//
// Decoded values have a field Raw with the original JSON, for members without a field. Messages that are not valid Unicode
// are read with U+FFFD, and other responses that are not valid JSON fail their requests, see Client.InvalidMessages.
//
// For load generation there is a cheaper API: Client.Prepare encodes a call once, Client.Start sends it and passes the raw
// response to a func, and Client.RoundTrip waits for it. Over stdio, Client.Stream gives access to the pipes.
//
// An error is one line with the problem and a fix. It is an UnreachableError if the server cannot be reached, and an
// RPCError if it rejects a request. A tool that fails is neither, see Result.IsError.
package client
