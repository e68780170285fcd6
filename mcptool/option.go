package mcptool

import (
	"encoding/json"
	"reflect"
)

// Option sets one property of a tool. If the mcp:"…" tag of the argument struct can set it too, both may set it, to
// the same value.
type Option interface{ describe(*definition) }

type option func(*definition)

func (o option) describe(d *definition) { o(d) }

// Name sets the name of the tool: 1 to 64 of A-Z, a-z, 0-9, "_", "-" and ".". The default is the func's own name in
// snake case: GetWeather is get_weather. A func literal has no name and needs this option or name= in the tag.
func Name(name string) Option {
	return option(func(d *definition) { set(d, &d.name, "the option Name", name) })
}

// Title sets the name for people. The default is none: clients then show the name.
func Title(title string) Option {
	return option(func(d *definition) { set(d, &d.title, "the option Title", title) })
}

// Description tells the model what the tool does and when to use it. The default is the doc:"…" tag beside the
// mcp:"…" tag, or none.
func Description(text string) Option {
	return option(func(d *definition) { set(d, &d.description, "the option Description", text) })
}

// ReadOnly sets the hint that the tool does not change its environment. Clients take an unset hint as false. A tool
// is not both read-only and destructive.
func ReadOnly(yes bool) Option {
	return option(func(d *definition) { set(d, &d.readOnly, "the option ReadOnly", yes) })
}

// Destructive sets the hint that the tool may delete or overwrite, rather than only add. Clients take an unset hint
// as true.
func Destructive(yes bool) Option {
	return option(func(d *definition) { set(d, &d.destructive, "the option Destructive", yes) })
}

// Idempotent sets the hint that a second call with the same arguments has no further effect. Clients take an unset
// hint as false.
func Idempotent(yes bool) Option {
	return option(func(d *definition) { set(d, &d.idempotent, "the option Idempotent", yes) })
}

// OpenWorld sets the hint that the tool reaches things outside a closed set: the web does, a memory store does not.
// Clients take an unset hint as true.
func OpenWorld(yes bool) Option {
	return option(func(d *definition) { set(d, &d.openWorld, "the option OpenWorld", yes) })
}

// AskFirst makes the user confirm a yes-or-no question before the tool runs, as [Confirm] does; the tool runs only
// after a yes. The name of an argument in braces is replaced by its value, shortened: "Delete {path}?". A client that
// cannot ask cannot call the tool. The arguments are checked before. To ask later, or for something else, use Confirm
// or [Elicit].
func AskFirst(question string) Option {
	return option(func(d *definition) { set(d, &d.askFirst, "the option AskFirst", question) })
}

// Icons sets pictures of the tool, in any order: a client chooses by size and theme.
func Icons(icons ...Icon) Option {
	return option(func(d *definition) { set(d, &d.icons, "the option Icons", icons) })
}

// Meta sets the _meta of the tool in the list: data for clients that understand it. A key is a name, best with a
// prefix that is a domain of yours, reversed: com.example/name. Prefixes of the protocol itself are refused, and so
// are values of traceparent, tracestate and baggage that are not in the format of the W3C. Values are encoded once.
func Meta(meta map[string]any) Option {
	return option(func(d *definition) { set(d, &d.meta, "the option Meta", meta) })
}

// InputSchema sets a JSON Schema to publish in place of the one derived from the argument type: 2020-12, or draft-07
// if "$schema" says so, with "type":"object" at its root. Arguments must fit it and also decode into the Go type,
// whose tags still apply and whose defaults are filled in. So the schema may narrow the type, but not widen it. It is
// refused if it describes members that the type lacks, leaves objects open that the type closes, does not require
// what the type requires, or allows values that the type refuses. See [reflectschema.Type.Agrees]. [NewRaw] takes its
// schema as an argument instead.
func InputSchema(schema json.RawMessage) Option {
	return option(func(d *definition) { set(d, &d.inputSchema, "the option InputSchema", string(schema)) })
}

// OutputSchema sets a JSON Schema for the structured part of the results. A func that returns [*Result], or is given
// to [NewRaw], has no output schema without it; with it, each result that is no error must have a Structured that
// fits. For other funcs it is published in place of the derived schema, and results must fit both; a schema that no
// result could fit, for example because it requires a member that the type lacks, is refused.
func OutputSchema(schema json.RawMessage) Option {
	return option(func(d *definition) { set(d, &d.outputSchema, "the option OutputSchema", string(schema)) })
}

// OutputType is [OutputSchema] with the schema derived from T, for a func that returns [*Result] because it has
// Content beside a Structured of type T. A pointer type means the type that it points to. Structured is then encoded
// as a T; see [Result] for values of other types. Give only one of the two options.
func OutputType[T any]() Option {
	return option(func(d *definition) { set(d, &d.outputType, "the option OutputType", reflect.TypeFor[T]()) })
}
