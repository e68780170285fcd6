// Package mcptool turns Go funcs into tools of the Model Context Protocol.
//
// A tool is a plain func. Its argument struct names and describes it, and the JSON
// Schemas that clients see derive from its types:
//
//	type WeatherIn struct {
//		_        struct{} `mcp:"name=get_weather,title=Weather,readOnly" doc:"Climate at a place"`
//		Location string   `json:"location" jsonschema:"minLength=1" doc:"City name, e.g. Lisbon, Portugal"`
//	}
//	type WeatherOut struct {
//		Temperature float64 `json:"temperature" doc:"In degrees Celsius"`
//	}
//
//	func GetWeather(ctx context.Context, in WeatherIn) (WeatherOut, error) { … }
//
//	func main() {
//		mcptool.Register(GetWeather)
//		stdio.Main(nil)
//	}
//
// [Register] is for funcs known when the program starts. [New] returns a [Tool] for a [Registry] of your own, [NewRaw]
// takes a schema written by hand, and [RegisterService] and [NewService] take every method of a value that has the
// signature of a tool; a method whose signature is similar but not right is a mistake, unless [ExceptMethods] excludes it.
// A Tool also runs without a server, by [Tool.Call]: tests use it, preferably through package mcptooltest.
//
// # Arguments and results
//
// Package reflectschema documents which types their structs may contain, and how the doc:"…" and jsonschema:"…" tags
// describe the fields. An argument that is one of several structs is a field of an interface type, whose members
// [reflectschema.Union] lists.
//
// An argument with x-mcp-header in its schema, in a tag jsonschema:"x-mcp-header=Region" say, is also sent as the HTTP
// header Mcp-Param-Region, by clients from revision 2026-07-28 on, so that proxies can route by it. It is a string, an
// integer or a boolean. Proxies read headers and write them to their logs: mark no argument that is secret or personal.
//
// The size of a result is limited by the server. If a result is larger, slices with the tag mcp:"truncate", at any depth in
// it, are cut from their ends, and the model is told how much is missing:
//
//	type LogOut struct {
//		Total int    `json:"total"`
//		Lines []Line `json:"lines" mcp:"truncate"`
//	}
//
// Without such a slice the model is told to ask for less. Put what must arrive, such as a cursor, outside of the list.
//
// # Describing a tool
//
// A tool is described by the mcp:"…" tag of a field named _ of the argument struct, or by an [Option]:
//
//	name=get_weather   Name         default: the func's name in snake case
//	title=Weather      Title        the name for people
//	description=…      Description  for the model; the doc:"…" tag beside it means the same
//	readOnly           ReadOnly     it changes nothing
//	destructive        Destructive  it may delete or overwrite
//	idempotent         Idempotent   calling it again changes nothing more
//	openWorld          OpenWorld    it reaches beyond a closed set of things
//	askFirst=…         AskFirst     the user has to confirm before it runs
//	task=optional      Task         calls run as tasks, if the client supports them; or task=required
//	scopes=…           Scopes       the scopes a caller needs, separated by spaces, if callers are authenticated
//	timeout=30s        Timeout      how long a call may run
//	rateLimit=100/m    RateLimit    how often each caller may call; also 100/m burst=10
//	concurrent=4       Concurrent   how many calls run at once, of all callers
//	auditArguments     AuditArguments  a server's audit log has the arguments
//
// The hints and auditArguments also take a value: readOnly=true, readOnly=false. In a raw string literal a comma in a text
// is written "\\," and a backslash "\\\\"; blanks around a value are removed. Tag and option may both set a key, to the same
// value; two different values are a mistake.
//
// Keys that several tools share can be set in a struct that the arguments of each embed, by value or by pointer, at any
// depth and under any JSON name:
//
//	type Admin struct {
//		_ struct{} `mcp:"destructive,scopes=admin"`
//	}
//
//	type DropIn struct {
//		_ struct{} `mcp:"name=drop_table" doc:"Drops a table"`
//		Admin
//		Table string `json:"table"`
//	}
//
// Every key is inherited except name, title and description (also by a doc tag), which belong to one tool: in an embedded
// struct they are mistakes, unless the outer struct sets its own. A key of the outer struct overrides the embedded one, also
// with destructive=false; its scopes must contain the embedded ones. If two structs embedded side by side set a key to
// different values, that is a mistake, unless the outer struct sets the key. An Option may repeat the value of an inherited
// key, like that of the struct's own, but not change it.
//
// An mcp tag elsewhere describes no tool and is a mistake: in a result, in a struct that is only a part of the arguments,
// in the form of an [Elicit].
//
// # Mistakes of the author
//
// Mistakes are reported when a tool is defined, all at once, each with its location, the reason and the fix, as a
// [*RegisterError]. Register panics with it; if nobody recovers the panic, the program prints only the mistakes, without a
// stack trace, and ends.
//
// # Errors of a call
//
// If a func returns an error, the model reads its text. Arguments that do not fit never reach the func; the model is told
// what to correct ([*ArgumentError]). A panic ends the call and not the process ([*PanicError]), and a result that breaks
// the tool's own schema is not sent ([*OutputError]); the details of these two go to the log, not to the client. A server
// can be configured to hide the texts of errors, except those of [Errorf]. If a func returns both a value and an error, the
// error is sent.
//
// # Inside a call
//
// [Progress], [Logger] and [Caller] use the server that runs the call. Without one, in a test, they do nothing. [Supports]
// reports whether the client has declared a capability, and a func that needs one returns the error of [Require]. Package
// mcptooltest has a client for tests of tools that send requests to the client.
//
// # Asking the user
//
// [Elicit] asks the user of the client for a struct, [Confirm] for a yes, [ElicitURL] to visit a page, [AskAll] for several
// things at once. They look like calls that block, and with clients up to revision 2025-11-25 they are. With newer clients
// the call ends with the request, and the func runs again from the top when there is an answer; use [Once] for what it
// must not do twice; it stores any value that [reflectschema.Marshal] stores. The documentation of Elicit has the rules. The
// answers of earlier runs and the values of Once travel through the client, encrypted. [AskFirst] asks before a tool runs at
// all.
//
// # Middleware
//
// [Middleware] wraps tools to add what several of them share: a cache, retries, a measurement. [Use] wraps one tool, the
// middleware of a server wraps all. It gets the arguments as JSON and the result as a [Result], and what it returns is
// checked like the result of a func. A tool without middleware has no cost for either.
//
// Limits are not implemented as middleware. Middleware is a func around a func: it can answer only when that func has
// returned, in the goroutine that runs it. But a [Timeout] answers before its func returns; a call that waits for
// [Concurrent] lets other calls run in its place; [RateLimit] and [Scopes] refuse a call before it begins;
// and a tool without limits must not pay for them.
//
// # Concurrency
//
// Calls run concurrently, so funcs must be safe for concurrent use. Tools never change. Registries may change at any time,
// and readers see each change completely or not at all.
package mcptool
