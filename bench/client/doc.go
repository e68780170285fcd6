// Package client is a client of MCP servers, for a harness that looks at them: over stdio
// and over Streamable HTTP, of the legacy era (initialize and a session) and of the modern
// one (2026-07-28, where every request stands for itself), of any framework.
//
// Dial starts a command or reaches a URL and finds out which era the server is of. After
// that the eras look alike: Client.Tools lists, Client.Call calls. What the server sends
// meanwhile is taken care of: a ping is answered, progress and log messages go to
// Options.Notify, questions for the user to Options.Elicit, whether they come as requests of
// the server or as a result that asks for more input.
//
// Raw is kept beside everything that is taken apart, for what has no field here.
//
// For load there is a second way in, without any work per call beyond the transport's:
// Client.Prepare encodes a call as the session sends it, once, and Client.RoundTrip sends it and
// returns the bytes of the answer.
//
// An error is one line that says what happened and what to do. UnreachableError is a server
// that cannot be talked to, RPCError one that refuses; a tool that fails is neither, see
// Result.IsError.
package client
