// Package mcptool turns Go funcs into tools, prompts and resources of the Model Context Protocol.
//
// A tool is a plain func. Tags of its argument struct name and describe it, and the JSON Schemas that clients see are
// derived from its argument and result types:
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
// [Register] adds a tool to the [Default] registry when the program starts. [New] returns a [Tool] for a [Registry] of
// your own, and [NewRaw] takes a schema written by hand. [RegisterService] and [NewService] define a tool from every
// method of a value that has the signature of a tool; any other method that takes a context is a mistake, unless
// [ExceptMethods] excludes it. [Tool.Call] runs a tool without a server; tests use it, preferably through
// package mcptooltest.
//
// A [Registry] contains tools, prompts and resources, and changes while servers use it; clients are notified. Each call
// changes all of its items or, with an error, none:
//
//	err := registry.Add(tools, review, handbook) // the tools of NewService, a prompt and a resource
//	err = registry.Replace(review)
//	registry.Remove(tools, review)
//	for tool := range registry.Tools() {
//		fmt.Println(tool.Info().Name)
//	}
//
// # Arguments and results
//
// The documentation of package reflectschema lists the types that argument and result structs may contain, and explains
// how the doc:"…" and jsonschema:"…" tags describe their fields. For an argument that can be one of several structs,
// use a field of an interface type and list its members with [reflectschema.RegisterUnion], or for one tool with [Types].
//
// An argument whose schema has x-mcp-header, for example by the tag jsonschema:"x-mcp-header=Region", must be a string,
// an integer or a boolean. Clients from revision 2026-07-28 on also send it as the HTTP header Mcp-Param-Region, so
// that proxies can route by it. Proxies may log headers, so do not mark an argument that is secret or personal.
//
// A server limits the size of a result. In place of a larger one, the model gets an error that suggests asking for less.
// Give a tool with many elements in its result an argument for that:
//
//	type LogIn struct {
//		Limit  int    `json:"limit" jsonschema:"minimum=1,maximum=1000,default=100" doc:"How many lines at most"`
//		Cursor string `json:"cursor,omitzero" doc:"Of the previous result, for the next lines"`
//	}
//
// # Describing a tool
//
// The mcp:"…" tag of a field named _ in the argument struct describes a tool. An option can set each key instead:
//
//	name=get_weather   Name         default: the func's name in snake case
//	title=Weather      Title        the display name
//	description=…      Description  for the model; the doc:"…" tag beside it means the same
//	readOnly           ReadOnly     it does not change anything
//	destructive        Destructive  it may delete or overwrite
//	idempotent         Idempotent   a second call with the same arguments changes nothing more
//	openWorld          OpenWorld    it interacts with an open set of things, such as the web
//	askFirst=…         AskFirst     the user must confirm before it runs
//	task=optional      Task         calls run as tasks, if client and server support them; or task=required
//	durable            Durable      its tasks survive the process that runs them
//	group=issues       Group       the name of a group of tools, for servers that offer a selection; may be repeated
//	scopes=…           Scopes       the scopes a caller needs, separated by spaces, if callers are authenticated
//	timeout=30s        Timeout      how long a call may run
//	rateLimit=100/m    RateLimit    how often each caller may call; also 100/m burst=10
//	concurrent=4       Concurrent   how many calls run at once, of all callers
//	auditArguments     AuditArguments  a server's audit log contains the arguments
//	coerce             Coerce          arguments of a wrong type are converted: "42" to 42
//	omitOutputSchema   OmitOutputSchema  tools/list omits the output schema
//	uri=orders://{id}  URI          of a resource: its URI or URI template
//	mimeType=text/csv  MIMEType     of a resource: the media type of its contents
//	size=4096          Size         of a resource: its size in bytes
//	audience=user      Audience     of a resource: user, assistant, or both
//	priority=0.5       Priority     of a resource: from 0 (optional) to 1 (required)
//
// The hints, durable, auditArguments, coerce and omitOutputSchema also take a value: readOnly=true, readOnly=false. In
// a tag that is a raw string literal, write a comma in a text as "\\," and a backslash as "\\\\". Spaces around a value
// are removed. A tag and an option may set the same key to the same value; two different values are a mistake,
// except that scopes and groups add up.
//
// [Option] explains how tools, prompts and resources share options.
//
// An mcp tag anywhere else is a mistake: in a result, in a struct that is only a part of the arguments or embedded in
// them, in the form of an [Elicit].
//
// # Prompts and resources
//
// A prompt is a func of the same shape that returns messages ([RegisterPrompt], [NewPrompt]); the user fills in the
// fields of its argument struct:
//
//	type ReviewIn struct {
//		_    struct{} `mcp:"name=review,title=Code review" doc:"Reviews a file"`
//		File string   `json:"file" doc:"Path of the file"`
//		Tone string   `json:"tone,omitzero" jsonschema:"enum=friendly,enum=strict"`
//	}
//
//	func Review(ctx context.Context, in ReviewIn) (string, error) { … }
//
// A resource is a func that returns contents ([RegisterResource], [NewResource]); the fields of its argument struct are
// the variables of its URI. [Files] serves a tree of files. [Registry.ResourceUpdated] notifies the clients that have
// subscribed to a resource of a change. Clients can read the target of a [ResourceLink] if a resource of the server
// matches its URI.
//
// [Complete] suggests values for arguments of prompts and variables of resources. The type of an option determines what
// it applies to: an [Option] to all three, a [ToolOption] only to tools. The key of an option applies to the same
// items, and is a mistake in the tag of others.
//
// # Mistakes of the author
//
// Mistakes in a definition are reported together when the tool is defined, as a [*RegisterError] with the location, the
// reason and the fix of each. Register panics with it.
//
// # Errors of a call
//
// If a func returns an error, the model reads its text. If the arguments do not fit, the func is not called, and the
// model reads what to correct ([*ArgumentError]). A panic ends the call but not the process ([*PanicError]), except in a
// goroutine that the func starts without [Go]. A result that does not fit the tool's own schema is not sent
// ([*OutputError]); the details of these two go to the log, not to the client. A server can be configured to hide the texts of errors that were not made by [Errorf]. If a func
// returns both a value and an error, the error is sent.
//
// # Inside a call
//
// [Progress] and [Logger] send progress and log records through the server that runs the call, and do nothing without a
// server, for example in a test. [Caller] describes the call and its client. [CallInfo.Supports] reports whether the
// client has declared a capability; a func that needs one returns the error of [Require]. To call a tool with answers,
// log and progress but without a server, in a test or an adapter, use the Client of package mcptooltest.
//
// Data of a client, such as its capabilities and the _meta of a request, has the type [json.RawMessage], because most
// calls do not read it. Data for a client, such as the _meta of a result, consists of Go values.
//
// # Asking the user
//
// During a call a func can send requests to the client:
//
//	Elicit        the user fills in a struct
//	ElicitSchema  the user fills in a form that is described by a JSON Schema
//	Confirm       the user answers yes or no
//	ElicitURL     the user visits a page, for data that must not pass through the client
//	AskAll        several of these together: ElicitPart, ElicitSchemaPart, ElicitURLPart
//
// AskAll also sends requests that the protocol deprecates, for a message of the client's model and for the directories of
// its user: [SamplePart] and [RootsPart].
//
// With clients up to revision 2025-11-25 these funcs block until there is an answer. With newer clients the call ends
// with the request, and the func runs again from the top when there is an answer, perhaps in another process: Elicit
// returns [ErrAnswerPending] in the first run and the answer in the next. A func works the same way with all clients if
// it does three things:
//
//   - It returns the error of a request. A func that ignores it and returns a result has acted without the answer, and
//     the call fails.
//   - It sends the same requests whenever the earlier answers are the same. Requests are identified by their order, so it
//     sends them from one goroutine, or gives each a [Key].
//   - It uses [Once] for everything that must not happen twice. The values of Once and the answers to earlier requests
//     are sent to the client and back, encrypted.
//
// The errors, of which a func may return any unchanged:
//
//	ErrDeclined       the user refused
//	ErrDismissed      the user closed the form without an answer
//	ErrAnswerPending  the request has yet to be sent
//	ErrNoAnswer       the client did not answer in time, or cannot be reached
//	AskAnswerError    the client answered with an error, or its answer cannot be used
//	CapabilityError   the client does not support the request
//	AskError          the request cannot be sent, which is a mistake of the author
//
// Other errors are the error of the context, or mean that the server cannot send the request, for example because too
// many are open. A func that undoes something when the user does not answer must do so for every error except
// ErrAnswerPending: after that, the answer can still arrive.
//
// The option [AskFirst] asks for a confirmation before a tool runs.
//
// # Middleware
//
// [Middleware] adds behaviour that several tools share, such as a cache, retries or metrics. The option [Use] wraps one
// tool; the middleware of a server wraps all of its tools. It does not slow down other tools. Limits such as [Timeout]
// are not middleware: middleware returns only after the func that it calls, and a timeout is answered before.
//
// # Concurrency
//
// Calls run concurrently, so funcs must be safe for concurrent use. Tools are immutable. Registries may change at any
// time, and readers see each change completely or not at all.
package mcptool
