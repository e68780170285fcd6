// Package page serves a web page that shows an MCP server to its author: the tools, prompts and resources with forms to
// call them, results, questions, logs and progress, and the messages of the protocol. Other web pages and other users of the
// machine must not be able to call tools, so the page is served only at a loopback address, below a random token, and
// refuses requests from other origins.
//
// # API
//
// All paths are below /{token}/. Requests and responses are JSON; an error is {"error": TEXT} with a status of 400 and
// above. The Go types define the members.
//
//	GET  api/state                    the server, its lists, the build
//	POST api/reconnect {}             connects again, for example after the server was restarted
//	GET  api/events                   events, see below
//	GET  api/calls                    all calls, oldest first, see [Call]
//	POST api/calls                    {"kind","name","arguments","task"}: begins a call and returns it
//	GET  api/calls/{id}               a call
//	GET  api/calls/{id}/result        the result, however large
//	GET  api/calls/{id}/arguments     the arguments, however large
//	POST api/calls/{id}/answer        {"action","content","n"}: answers the question n; 409 if it was answered
//	POST api/calls/{id}/cancel {}     cancels the call
//	GET  api/calls/{id}/copy?as=bench a command line that repeats the call; as=go: a Go test
//	POST api/complete                 {"prompt" or "template","argument","value","others"} → {"values","total","hasMore"}
//	GET  api/messages?after=N         the recorded messages with numbers above N, see [Message]
//	GET  api/transcript               the messages as a file
//
// The name of a resource is a URI, or a template with arguments for its variables. A result above 1 MiB, and arguments
// above 64 KiB, are null in a Call, whose members resultBytes and argumentsBytes have the sizes; so are the older results
// in api/calls, if all together are above 4 MiB.
//
// The events are state (request api/state again), message (request new ones of api/messages), and call (a [Call] that has
// changed). They have the newest state: a slow browser misses intermediate ones. A new stream begins with state, message
// and the calls that run. Browsers open at most six connections to an address, so a page that is not visible should close
// its stream.
package page
