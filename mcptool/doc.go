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
// [RegisterService] takes every method of a value. A Tool also runs without a
// server: [Tool.Call] is what tests use, best through package mcptooltest.
//
// # Arguments and results
//
// Package reflectschema says what their structs may hold, and how the doc:"…" and
// jsonschema:"…" tags describe the fields. An argument that is one of several structs
// is a field of an interface type, whose members [reflectschema.Union] lists.
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
//
// The last four also read readOnly=true and readOnly=false. A comma of a text is
// written \\, and a backslash \\\\ (in a raw string literal). To say one thing twice
// is fine, to say it in two ways is a mistake.
//
// # Mistakes of the author
//
// Mistakes are told when a tool is defined, all at once, each with the place, the
// reason and the fix: a [*RegisterError]. Register panics with it.
//
// # Errors of a call
//
// A func returns an error, and the model reads its text. Arguments that do not fit
// never reach the func; the model is told what to mend ([*ArgumentError]). A panic
// ends the call and not the process ([*PanicError]), and a result that breaks the
// tool's own schema is not sent ([*OutputError]); of these two the client learns no
// details, the log does. When a func returns both a value and an error, the error wins.
//
// # Inside a call
//
// [Progress], [Logger] and [Caller] talk to the server that runs the call. Without
// one, in a test, they do nothing.
//
// # Concurrency
//
// Calls run at once, so funcs must be safe for concurrent use. Tools never change.
// Registries change at any time, and readers see each change whole.
package mcptool
