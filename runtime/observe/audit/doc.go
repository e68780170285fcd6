// Package audit has an observer that writes an audit log: one record of each call, without values.
//
//	srv := &runtime.Server{Observer: audit.New(log)}
//
// To combine it with other observers, use [observe.All], which notifies each of them even if another one panics. List it
// last: All notifies the last one first of the end, so a slow observer does not delay the record.
//
//	srv := &runtime.Server{Observer: observe.All(counters, audit.New(log))}
//
// The log gets a record of each call of a tool, with the message "tool called", of each prompts/get, with "prompt rendered",
// and of each resources/read, with "resource read", at level info. A refused call has a record as well. The record of a call
// that runs as a task is written when the task ends. A record contains no values of results, and arguments and URIs only
// with [github.com/mcptool-go/mcptool/mcptool.AuditArguments]. The logger may be the one of Server.Logger, which does not
// get these records by default because quick tools cause many of them.
//
// The handler of the logger is called after the answer was sent, unless the request was refused, with a context in which
// [github.com/mcptool-go/mcptool/mcptool.Caller] describes the call and its caller, with the claims. If it panics, the
// record is lost, and the server logs the panic. If it blocks, the operation that has ended blocks, and the session.
//
// The fields are:
//
//   - principal, the authenticated caller, or "".
//   - tenant, that the caller acts for; only if there is one.
//   - client and client_version, as the client describes itself.
//   - protocol, the revision.
//   - tool, prompt or resource: the name of the tool or prompt, or the URI or template of the resource as it was
//     registered; "" if there is no such resource.
//   - request_id, as JSON.
//   - duration, from the time when the call was read.
//   - outcome, a text of [observe.Outcome], except task.
//   - refused_by, only if the tool, prompt or resource exists and is not selected; then it is "selection": see Selection of
//     package runtime.
//   - via, the name of the tool that the client called, if that calls others, such as call_tool of extension/toolsearch.
//   - bytes_in, the size of the arguments or of the URI, and bytes_out, the size of the answer; 0 without an answer.
//   - injected, the arguments of a tool that were removed because the client adds them to the arguments of the model, such
//     as wait_for_previous of Gemini CLI; only if there are any.
//   - unknown, the names of the first 10 arguments that were ignored, with Server.IgnoreUnknownArguments; only if there are
//     any.
//   - trace_id, 32 hexadecimal digits, if the client has sent a trace context.
//   - coerced, the locations of the arguments that were converted, such as "count, items[].qty", if there are any: see
//     [github.com/mcptool-go/mcptool/mcptool.Coerce].
//   - arguments, as JSON and redacted, with AuditArguments, unless the call was refused at once. For a resource they are
//     the URI.
package audit
