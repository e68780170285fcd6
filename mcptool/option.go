package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// ToolOption sets a property of a tool. If the mcp:"…" tag of the argument struct or another option sets the same
// property, it must be to the same value; only [Scopes] and the groups of [Group] add up.
type ToolOption interface{ applyToTool(*definition) }

// PromptOption sets a property of a prompt, as a [ToolOption] does for a tool.
type PromptOption interface{ applyToPrompt(*definition) }

// ResourceOption sets a property of a resource, as a [ToolOption] does for a tool.
type ResourceOption interface{ applyToResource(*definition) }

// Option sets a property of a tool, prompt or resource. In the documentation of an Option, tool means all three, and call
// also for a request that gets a prompt or reads a resource.
//
// Tools share options in a slice of [ToolOption]. For items of different kinds, keep each Option in a variable, because
// Go does not convert slices:
//
//	scopes := mcptool.Scopes("stock:read")
//	tools := []mcptool.ToolOption{scopes, mcptool.ReadOnly(true)}
//	mcptool.Register(CountItems, tools...)
//	mcptool.Register(FindItem, tools...)
//	mcptool.RegisterPrompt(ReviewStock, scopes)
type Option interface {
	ToolOption
	PromptOption
	ResourceOption
}

// The types of options. Each has the methods of the items that it applies to.
type (
	toolOption     func(*definition)
	resourceOption func(*definition)
	textOption     func(*definition) // for arguments that are sent as text: of prompts and resources
	option         func(*definition)
)

func (o toolOption) applyToTool(d *definition)         { o(d) }
func (o resourceOption) applyToResource(d *definition) { o(d) }
func (o textOption) applyToPrompt(d *definition)       { o(d) }
func (o textOption) applyToResource(d *definition)     { o(d) }
func (o option) applyToTool(d *definition)             { o(d) }
func (o option) applyToPrompt(d *definition)           { o(d) }
func (o option) applyToResource(d *definition)         { o(d) }

// Name sets the name of the tool: 1 to 64 characters of A-Z, a-z, 0-9, "_", "-" and ".". The default is the name of the
// func in snake case: the name for GetWeather is get_weather. A func literal has no name and needs this option or name=
// in the tag. The name of a resource may be any text, and its default for a func literal is the URI.
func Name(name string) Option {
	return option(func(d *definition) { set(d, &d.Name, "the option Name", name) })
}

// NamePrefix sets a text that precedes the name of the tool, whatever sets that name: with NamePrefix("notes_"), the method
// Get of a service is the tool notes_get. It keeps the names of services apart that are served together and have methods
// of the same name ([RegisterService], [NewService]). The name with the prefix must be valid for [Name]. The default is
// "", no prefix.
func NamePrefix(prefix string) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.namePrefix, "the option NamePrefix", prefix) })
}

// Title sets the display name. By default it is empty, and clients show the name.
func Title(title string) Option {
	return option(func(d *definition) { set(d, &d.Title, "the option Title", title) })
}

// Description sets the description for the model: the purpose of the tool and when to use it. The default is the
// doc:"…" tag beside the mcp:"…" tag, then the doc comment of the func, if a generated file has it
// (package reflectschema/doccomment). Without any of them the tool has none.
func Description(text string) Option {
	return option(func(d *definition) { set(d, &d.Description, "the option Description", text) })
}

// ReadOnly sets the hint that the tool does not change its environment. By default it is unset, which clients treat as
// false. A tool that is both read-only and destructive is a mistake. A read-only tool also has the hint
// [Destructive] false, which the directories of some clients require.
func ReadOnly(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.annotations.ReadOnlyHint, "the option ReadOnly", &yes) })
}

// Destructive sets the hint that the tool may delete or overwrite something, rather than only add. By default it is
// unset, which clients treat as true, or false if the tool is [ReadOnly].
func Destructive(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.annotations.DestructiveHint, "the option Destructive", &yes) })
}

// Idempotent sets the hint that a second call with the same arguments has no further effect. By default it is unset,
// which clients treat as false.
func Idempotent(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.annotations.IdempotentHint, "the option Idempotent", &yes) })
}

// OpenWorld sets the hint that the tool interacts with an open set of external things: true for a web search, false for
// a note store. By default it is unset, which clients treat as true.
func OpenWorld(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.annotations.OpenWorldHint, "the option OpenWorld", &yes) })
}

// AskFirst sets a yes-or-no question that the user must answer with yes before the tool runs, as for [Confirm]. An
// argument name in braces is replaced by the value of that argument: "Delete {path}?". A call in which such a value is
// longer than 2000 characters is an error for the model, so that no user agrees to something that is not shown. The
// arguments are checked before the question is sent. The limit [Concurrent] is applied after the answer. A client that does not support such questions cannot call the
// tool. By default the tool runs without a question. To ask during the call, or for more than a yes, use Confirm or
// [Elicit].
func AskFirst(question string) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.askFirst, "the option AskFirst", question) })
}

// Icons sets pictures for the tool, in any order: clients choose one by size and theme. By default a tool has none.
func Icons(icons ...Icon) Option {
	return option(func(d *definition) { set(d, &d.Icons, "the option Icons", icons) })
}

// Meta sets the _meta object of the tool in tools/list: data for clients that understand it. A key is a name,
// preferably with one of your own domains, reversed, as its prefix: com.example/name. It is a mistake to use a prefix
// that the protocol reserves, or a value of traceparent, tracestate or baggage that is not in its W3C format. The
// values are encoded as JSON when the tool is defined. By default a tool has no _meta.
func Meta(meta map[string]any) Option {
	return option(func(d *definition) { set(d, &d.Meta, "the option Meta", meta) })
}

// InputSchema sets the JSON Schema of the arguments. The default is the schema derived from the argument type. The
// dialect is 2020-12, or draft-07 if "$schema" is set to that, and the root has "type":"object". Arguments must fit it and
// also decode into the Go type, whose tags still apply and whose defaults are filled in. So the schema may be narrower
// than the type, but not wider: it is a mistake if the schema describes members that the type does not have, allows
// additional members that the type does not allow, does not require members that the type requires, or allows JSON types
// that the type does not allow. Bounds, patterns and listed values are not compared: a
// call whose arguments fit only the schema is answered with an error. [NewRaw] takes its schema as an argument instead.
func InputSchema(schema json.RawMessage) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.inputSchema, "the option InputSchema", string(schema)) })
}

// OutputSchema sets the JSON Schema of the structured part of results. The default is the schema derived from the result
// type, and none for a func that returns [*Result] or is passed to [NewRaw]. For such a func, every result without
// IsError must have a Structured that fits the schema. For a func that returns a Go value, results must also fit the
// derived schema. A schema that no result can fit, for example because it requires a member that the type does not have,
// is a mistake.
func OutputSchema(schema json.RawMessage) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.outputSchema, "the option OutputSchema", string(schema)) })
}

// LogSchemaMistakes is for gateways, whose schemas are written by somebody else: the mistakes that JSON Schema allows in the
// schemas of [NewRaw], [InputSchema] and [OutputSchema], listed at NewRaw, are logged as warnings, and the tool is defined
// all the same. The same applies to names of arguments that the Anthropic API rejects. The schemas are used as they are: a
// misspelt keyword has no effect, and null is invalid where only "nullable":true allows it. A schema that JSON Schema
// does not allow remains an error, as do all mistakes in Go types. A nil logger is [slog.Default]. By default the mistakes
// are errors.
func LogSchemaMistakes(logger *slog.Logger) ToolOption {
	return toolOption(func(d *definition) {
		set(d, &d.schemaLogger, "the option LogSchemaMistakes", cmp.Or(logger, slog.Default()))
	})
}

// OutputType sets the schema of [OutputSchema] by a Go type, for a func that returns [*Result] because it has Content in
// addition to a Structured of that type. A pointer type means the type that it points to. Structured is then encoded as
// a T; see [Result] for values of other types. Setting both OutputSchema and OutputType is a mistake. By default such a
// func has no schema.
func OutputType[T any]() ToolOption {
	return outputType(reflect.TypeFor[T]())
}

// outputType is [OutputType] for a type that is not a type argument.
func outputType(t reflect.Type) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.outputType, "the option OutputType", t) })
}

// OmitOutputSchema sets whether tools/list omits the output schema. Results do not change: they are checked against the
// schema before they are sent, and clients get them as structured content. Output schemas are often half of a list, which
// many clients give to the model as a whole; without them, programs that call the tool have no description of its results.
//
// The default is the OmitOutputSchemas of the server, which is false by default. In the tag it is omitOutputSchema.
func OmitOutputSchema(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.OmitOutputSchema, "the option OmitOutputSchema", &yes) })
}

// AuditArguments sets whether a server's audit log (package runtime/observe/audit) records the
// arguments of calls, for tools whose use must be traceable in detail. Arguments may be confidential, and the log
// outlives the call. The default is false: records contain no values. In the tag it is auditArguments.
func AuditArguments(yes bool) Option {
	return option(func(d *definition) { set(d, &d.AuditArguments, "the option AuditArguments", yes) })
}

// Coerce sets whether arguments of a wrong type are converted before they are checked, for models that write numbers or
// lists as text:
//
//   - a string to the number, boolean, array or object whose JSON text it is: "42" to 42, "[1,2]" to [1,2]
//   - a value to an array with this one element: "a" to ["a"]
//
// Only values of a type that the schema does not allow are converted, also within objects and arrays, and only if there
// is one way: a string with the text ["a"], for a list of strings, could be that list or its only element, and is an
// error. If the converted arguments are not valid, or finding them is too much work, the error describes the original
// ones. The schema that clients get does not change. The audit log of a server
// (package runtime/observe/audit) has the locations of converted arguments.
//
// The default is the Coerce of the server, which is false by default. It is false for [Tool.Call] without a server. In the
// tag it is coerce.
func Coerce(yes bool) ToolOption {
	return toolOption(func(d *definition) { set(d, &d.Coerce, "the option Coerce", &yes) })
}

// Attach is the option that adds an attachment to a tool. Several attachments add up. By default a tool has none.
func Attach(a Attachment) ToolOption {
	return toolOption(func(d *definition) {
		d.mistakes = append(d.mistakes, a.Mistakes...)
		for _, r := range a.Resources {
			if r.isEmpty() {
				d.mistake("an attached resource is empty", "make it with NewResource")
			}
		}
		if a.Extension == nil || !strings.Contains(a.Extension.ID, "/") {
			d.mistake("an attachment names no extension", "set Extension, with an ID such as com.example/thing")
			return
		}
		encoded := make(map[string]any, len(a.Meta))
		encodeValues(encoded, a.Meta, func(reason, fix string) { d.mistake("an attachment: "+reason, fix) })
		a.Meta = encoded
		a.Resources = slices.Clone(a.Resources)
		d.Attachments = append(slices.Clip(d.Attachments), a)
	})
}

// Use wraps the tool with middleware; the first is the outermost. Several Use options add up, and the earlier ones are
// outside of the later ones. The middleware of a server is outside of them all. [Tool.Call] also runs the middleware of
// Use. By default a tool has none.
func Use(middleware ...Middleware) ToolOption {
	return toolOption(func(d *definition) {
		for i, mw := range middleware {
			if mw == nil {
				d.mistake(fmt.Sprintf("middleware %d of the option Use is nil", i+1), "leave it out")
			}
		}
		d.middleware = append(d.middleware, middleware...)
	})
}

// Complete suggests values for a field of In, named by its JSON name: the func gets the text that the user has typed so
// far, and the other arguments as far as they are known. In must be the In of the prompt or resource; arguments that
// are missing or do not fit have their defaults or are zero. The func returns the best suggestions first; at most 100
// of them are sent. By default the values of an enum or a boolean are suggested; Complete replaces them.
//
//	mcptool.Complete("city", func(ctx context.Context, prefix string, in TripIn) ([]string, error) {
//		return cities.In(in.Country, prefix), nil
//	})
//
// Clients send a request with each key that the user types, so the func must be quick. It may run for 5 seconds, and
// each caller may request 20 completions per second of one prompt or resource, or 100 at once. Suggestions must not
// reveal anything that the caller may not see: [Scopes] and [VisibleIf] apply, and [Caller] identifies the caller.
//
// It is a mistake if the name is not the name of a field, if the func has another In, or if a field has two funcs.
//
// https://modelcontextprotocol.io/specification/draft/server/utilities/completion
func Complete[In any](field string, fn func(ctx context.Context, prefix string, in In) ([]string, error)) interface {
	PromptOption
	ResourceOption
} {
	c := completer{field: field, in: reflect.TypeFor[In](), isNil: fn == nil}
	c.run = func(ctx context.Context, prefix string, input *reflectschema.Type, others [][]byte) ([]string, error) {
		return fn(ctx, prefix, fitting[In](input, others))
	}
	return textOption(func(d *definition) { d.completers = append(slices.Clip(d.completers), c) })
}
