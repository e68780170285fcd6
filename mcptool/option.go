package mcptool

import (
	"encoding/json"
	"reflect"
)

// Option says one thing about a tool. What the mcp:"…" tag of the argument
// struct can say too, the two may both say, but not differently.
type Option interface{ describe(*definition) }

type option func(*definition)

func (o option) describe(d *definition) { o(d) }

// Name names the tool, in 1 to 64 of A-Z, a-z, 0-9, "_", "-" and ".". The default
// is the func's own name in snake case: GetWeather is get_weather. A func literal
// has no name and needs this option or name= in the tag.
func Name(name string) Option {
	return option(func(d *definition) { set(d, &d.name, "the option Name", name) })
}

// Title is the name people are shown. The default is none: clients then show the name.
func Title(title string) Option {
	return option(func(d *definition) { set(d, &d.title, "the option Title", title) })
}

// Description tells the model what the tool does and when to use it. The default
// is the doc:"…" tag beside the mcp:"…" tag, or none.
func Description(text string) Option {
	return option(func(d *definition) { set(d, &d.description, "the option Description", text) })
}

// ReadOnly says whether the tool leaves its environment as it was. Clients take
// an unsaid hint as false. A tool is not both read-only and destructive.
func ReadOnly(yes bool) Option {
	return option(func(d *definition) { set(d, &d.readOnly, "the option ReadOnly", yes) })
}

// Destructive says whether the tool may delete or overwrite, rather than only add.
// Clients take an unsaid hint as true.
func Destructive(yes bool) Option {
	return option(func(d *definition) { set(d, &d.destructive, "the option Destructive", yes) })
}

// Idempotent says whether a second call with the same arguments changes nothing
// more. Clients take an unsaid hint as false.
func Idempotent(yes bool) Option {
	return option(func(d *definition) { set(d, &d.idempotent, "the option Idempotent", yes) })
}

// OpenWorld says whether the tool reaches things outside a closed set: the web does,
// a memory store does not. Clients take an unsaid hint as true.
func OpenWorld(yes bool) Option {
	return option(func(d *definition) { set(d, &d.openWorld, "the option OpenWorld", yes) })
}

// AskFirst has the user asked a question of yes or no before the tool runs, as [Confirm]
// does; it runs only for a yes. The name of an argument in braces stands for its value,
// shortened: "Delete {path}?". A client that cannot ask cannot call the tool. The
// arguments have been checked by then. Confirm is the func to ask later, or something else.
func AskFirst(question string) Option {
	return option(func(d *definition) { set(d, &d.askFirst, "the option AskFirst", question) })
}

// Icons are pictures of the tool, in no order: a client picks by size and theme.
func Icons(icons ...Icon) Option {
	return option(func(d *definition) { set(d, &d.icons, "the option Icons", icons) })
}

// Meta is the _meta of the tool in the list: data for clients that know it. A key is
// a name, best with a domain of yours in front, reversed: com.example/name. Prefixes
// of the protocol itself are refused, and so are values of traceparent, tracestate and
// baggage that are not in the format of the W3C. Values are encoded once.
func Meta(meta map[string]any) Option {
	return option(func(d *definition) { set(d, &d.meta, "the option Meta", meta) })
}

// InputSchema is a JSON Schema to publish in place of the one derived from the
// argument type: 2020-12, or draft-07 when "$schema" says so, with "type":"object"
// at its root. Arguments must fit it and then still decode into the Go type, whose
// tags go on being enforced and whose defaults are filled in. So it may narrow the
// type, not widen it, and is refused if it does: if it describes members that the
// type lacks or leaves objects open that the type closes, does not require what the
// type requires, or lets values through that the type refuses. See
// [reflectschema.Type.Agrees]. [NewRaw] takes its schema as an argument instead.
func InputSchema(schema json.RawMessage) Option {
	return option(func(d *definition) { set(d, &d.inputSchema, "the option InputSchema", string(schema)) })
}

// OutputSchema is a JSON Schema for the structured part of the results. A func that
// returns [*Result] and one given to [NewRaw] promise nothing without it; with it,
// each result that is no error must have a Structured that fits. For other funcs
// it is published in place of the derived one, and results must fit both; what no
// result could keep, such as a required member that the type lacks, is refused.
func OutputSchema(schema json.RawMessage) Option {
	return option(func(d *definition) { set(d, &d.outputSchema, "the option OutputSchema", string(schema)) })
}

// OutputType is [OutputSchema] with the schema derived from T, for a func that returns
// [*Result] because it has Content beside a Structured of type T. A pointer stands for
// what it points at. Structured is then encoded as a T; see [Result] for values of other types. Give one of the
// two options.
func OutputType[T any]() Option {
	return option(func(d *definition) { set(d, &d.outputType, "the option OutputType", reflect.TypeFor[T]()) })
}
