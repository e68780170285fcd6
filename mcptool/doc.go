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
// [Register] is for funcs known when the program starts. [New] returns a [Tool] to be
// added to a [Registry] of your own, [NewRaw] takes a schema written by hand, and
// [RegisterService] and [NewService] take every method of a value that is of tool shape; a
// method that is almost of it is a mistake, unless [ExceptMethods] excludes it. A Tool also runs without a
// server: [Tool.Call] is what tests use, best through package mcptooltest.
//
// # Arguments and results
//
// Package reflectschema says what their structs may hold, and how the doc:"…" and
// jsonschema:"…" tags describe the fields. An argument that is one of several structs
// is a field of an interface type, whose members [reflectschema.Union] lists.
//
// An argument with x-mcp-header in its schema, in a tag jsonschema:"x-mcp-header=Region" say, is also sent as the HTTP
// header Mcp-Param-Region, by clients from revision 2026-07-28 on, so that proxies can route by it. It is a string, an
// integer or a boolean. Proxies read headers and write them to their logs: mark no argument that is secret or personal.
//
// What a server sends of one result is bounded. A slice in a result with the tag mcp:"truncate" may be cut where a
// result is larger, from its end, wherever in the result it is; the model is told how much is missing:
//
//	type LogOut struct {
//		Total int    `json:"total"`
//		Lines []Line `json:"lines" mcp:"truncate"`
//	}
//
// Without it the model is told to ask for less. Put what must arrive, such as a cursor, outside of the list.
//
// # Describing a tool
//
// What there is to say about a tool stands in the mcp:"…" tag of a field named _ of
// the argument struct, or in an [Option]:
//
//	name=get_weather   Name         default: the func's name in snake case
//	title=Weather      Title        the name for people
//	description=…      Description  for the model; the doc:"…" tag beside says the same
//	readOnly           ReadOnly     it changes nothing
//	destructive        Destructive  it may delete or overwrite
//	idempotent         Idempotent   calling it again changes nothing more
//	openWorld          OpenWorld    it reaches beyond a closed set of things
//	askFirst=…         AskFirst     the user is asked for a yes before it runs
//	task=optional      Task         calls run as tasks, where the client can; or task=required
//	scopes=…           Scopes       what a caller needs, with spaces between, where callers are verified
//	timeout=30s        Timeout      how long a call may run
//	rateLimit=100/m    RateLimit    how often each caller may call; also 100/m burst=10
//	concurrent=4       Concurrent   how many calls run at once, of all callers
//	auditArguments     AuditArguments  a server's audit has the arguments
//
// The hints and auditArguments also read readOnly=true and readOnly=false. A comma of a text is
// written \\, and a backslash \\\\ (in a raw string literal); blanks around a value are dropped. To say one thing twice
// is fine, to say it in two ways is a mistake.
//
// What several tools have in common can stand in a struct that the arguments of each embed, by value or by pointer, at
// any depth and under whatever JSON name:
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
// struct they are mistakes, unless the outer struct sets its own. A key of the outer struct overrides the embedded one,
// which includes destructive=false; its scopes must contain the embedded ones. Structs embedded beside each other that set
// a key to different values are a mistake, unless the outer struct sets the key. An Option is compared with an inherited
// key as with one of the struct's own: it may repeat the value, not change it.
//
// An mcp tag elsewhere describes no tool and is a mistake: in a result, in a struct that is only a part of the arguments,
// in the form of an [Elicit].
//
// # Mistakes of the author
//
// Mistakes are told when a tool is defined, all at once, each with the place, the
// reason and the fix: a [*RegisterError]. Register panics with it; if nobody recovers the panic,
// the program ends with the mistakes alone, without a stack trace.
//
// # Errors of a call
//
// A func returns an error, and the model reads its text. Arguments that do not fit
// never reach the func; the model is told what to mend ([*ArgumentError]). A panic
// ends the call and not the process ([*PanicError]), and a result that breaks the
// tool's own schema is not sent ([*OutputError]); of these two the client learns no
// details, the log does. A server can be told to hide the texts of errors alike; those of [Errorf] it
// sends all the same. When a func returns both a value and an error, the error wins.
//
// # Inside a call
//
// [Progress], [Logger] and [Caller] talk to the server that runs the call. Without
// one, in a test, they do nothing. [Supports] says what the client has declared it can do,
// and a func that cannot do without returns what [Require] says. Package mcptooltest has a client for tests of tools that
// ask.
//
// # Asking the user
//
// [Elicit] asks the user of the client for a struct, [Confirm] for a yes, [ElicitURL] to
// visit a page, [AskAll] several things at once. They read like calls that wait, and with
// clients up to revision 2025-11-25 they do. For newer ones the call ends with the
// question, and the func runs again from the top when there is an answer; what it must not
// do twice stands in [Once], which keeps any value that [reflectschema.Marshal] stores. Elicit tells the rules. The answers of earlier runs and what
// Once keeps travel through the client, sealed. [AskFirst] asks before a tool runs at all.
//
// # Around a tool
//
// What several tools have in common, a cache, retries, a measurement, is [Middleware]: [Use] puts it around one
// tool, a server's around all. It sees the arguments as JSON and the result as a [Result], and what it returns
// is checked like what a func returns. A tool without middleware builds neither.
//
// The limits are no middleware. Middleware is a func around a func: it can answer only when that has returned, in the goroutine that
// runs it. A [Timeout] answers before its func returns; who waits for a place of [Concurrent] lets others run in its own;
// a [RateLimit] and [Scopes] turn away a call before there is one; and none of them may cost a tool that has none.
//
// # Concurrency
//
// Calls run at once, so funcs must be safe for concurrent use. Tools never change.
// Registries change at any time, and readers see each change whole.
package mcptool
