// Package client is a client for MCP servers of any framework: over stdio and Streamable HTTP, in the legacy era
// (initialize and a session) and in the modern one (2026-07-28, where each request is independent).
//
// Dial starts a command or connects to a URL and detects the era of the server. From then on the eras look alike:
// Client.Tools lists tools, Client.Call calls one; Client.Prompts, Client.GetPrompt, Client.Resources,
// Client.ResourceTemplates, Client.ReadResource and Client.Complete do the same for the rest, if the server declares
// it; Client.Subscribe follows changes of lists and resources; Client.Request sends any other request. What the server
// sends meanwhile is handled: pings are answered, notifications go to Options.Notify, and elicitations to
// Options.Elicit, whether they come as requests of the server or as a result that requires input.
//
// Decoded values have a field Raw with the JSON as it came, for members that have no field here.
//
// To generate load there is a cheaper way: Client.Prepare encodes a call once, and Client.RoundTrip sends it and returns
// the bytes of the answer; over stdio, Client.Stream gives access to the pipes.
//
// An error is one line that says what happened and what to do. It is an UnreachableError if the server cannot be reached,
// and an RPCError if it refuses a request; a tool that fails is neither, see Result.IsError.
package client
