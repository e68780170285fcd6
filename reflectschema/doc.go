// Package reflectschema derives a JSON Schema from a Go type, and reads and
// writes values of that type by it. It knows nothing of any protocol.
//
// [Compile] is the way in. It looks at a type once, refuses what JSON cannot
// carry, and returns a [Type]: the [Schema] that clients are shown, [Type.Decode]
// for what they send and [Type.AppendEncode] for what they get. The three agree:
// what the schema says is what the codec reads and writes. A schema that was
// written by hand is read by [ParseSchema].
//
// # Directions
//
// An [Input] is written by a client: a field is required unless it is a pointer, has
// omitempty, omitzero or a default, or the tag says optional. null is refused unless
// the tag says nullable. An [Output] is written by us: a field is required if it is
// always there, that is, has neither omitempty nor omitzero and is not below an
// embedded pointer. A pointer may be null.
//
// A field with a default is written also when it is empty, whatever its json tag says: a reader takes the default
// for a field that is absent. So a pointer or union with a default may be null in an output. In an input it is
// left out when it is nil, which asks for the default, unless the tag says nullable. Below an embedded pointer,
// which may be nil, an output shows no default.
//
// A [Stored] value is written and read by the program itself: it is written as an output is, save that zero
// fields with the tag optional and no default are left out, and read back equal; a field that was left out is zero, and one
// that has a default and is missing has the default. [Marshal] and [Unmarshal] are the short way.
// Types must have both halves of their methods: MarshalJSON and UnmarshalJSON.
//
// The root is never null, and a pointer at the root is what it points at.
//
// # Types
//
// Names, embedding, omitempty, omitzero and ",string" mean what they mean to
// encoding/json. Fields that it would drop in silence, because two of them share a
// name at one depth, are errors here, even where the one with the name in its tag would win;
// so are options it would ignore. A field of an embedded struct may be hidden by a shallower one
// of the same name, as in Go; the shallower one takes over none of its tags.
//
//	bool                  {"type":"boolean"}
//	int, int64            {"type":"integer"}
//	int8 … int32          {"type":"integer","minimum":-128,"maximum":127}
//	uint, uint64          {"type":"integer","minimum":0}
//	uint8 … uint32        {"type":"integer","minimum":0,"maximum":255}
//	float32, float64      {"type":"number"}
//	string                {"type":"string"}
//	[]T                   {"type":"array","items":{"type":"boolean"}}
//	[3]T                  {"type":"array","items":{"type":"boolean"},"minItems":3,"maxItems":3}
//	[]byte                {"type":"string","contentEncoding":"base64"}
//	map[string]T          {"type":"object","properties":{},"additionalProperties":{"type":"boolean"}}
//	map[int]T             {"type":"object","properties":{},"additionalProperties":{"type":"boolean"},"propertyNames":{"pattern":"^-?(0|[1-9][0-9]*)$"}}
//	any, json.RawMessage  {}
//	json.Number           {"type":"number"}
//	time.Time             {"type":"string","format":"date-time"}
//	time.Duration         {"description":"Duration in nanoseconds","type":"integer"}
//	big.Int               {"type":"integer"}
//	with text methods     {"type":"string"}
//
// Structs and maps are objects; a struct takes no members but its fields. A nil
// slice is [], a nil map {}. A slice of a byte type with a schema of its own, by a method
// or registered, is an array. Recursive types become definitions, referred to by
// $ref; everything else is written out where it stands, since many clients
// follow no reference. If that would make more than 2000 schemas, named structs and
// unions that stand in several places become definitions too. A type that still makes
// more than 10 000 is refused.
//
// A type that has MarshalJSON or UnmarshalJSON may be anything, {}; its
// JSONSchema method can say more, or [TypeSchema] if the type is not yours. A type
// that has only the half that its direction does not use is refused. Methods on the
// pointer count, and are called also where encoding/json, finding no address, would
// not. null is not given to such a type unless its schema allows it or its zero value
// is written as null: by convention UnmarshalJSON takes it for nothing at all.
//
// The limits of int64, uint64, int and uint are not in the schema, but for the 0 of
// unsigned types: at each field they would cost tokens, and a client that keeps bounds
// as float64 would read other ones. Decoding holds numbers to them exactly: 1e19 in an
// int64 is a violation of maximum, 9223372036854775807. A client in JavaScript changes
// whole numbers beyond ±2^53 before it sends them: use json:",string" or a string for
// identifiers that are larger. Nor does the schema say that time.Time has no leap
// seconds, which the format date-time allows.
//
// Refused, with the place and what to do instead: chan, func, complex numbers, uintptr,
// interfaces with methods that are no union, maps whose keys are neither strings nor
// integers nor texts, structs that hide all of their fields (a type over time.Time does
// not have its methods), structs that a method promoted from an embedded field would
// write without the rest of their fields, and those whose promoted methods are of a
// registered type: register the struct as well.
//
// So are types that encoding/json would write as something other than what they stand
// for: url.URL, net.IPNet, net.IPMask, net.HardwareAddr, list.Element, ring.Ring and
// reflect.Value; the nullable columns of database/sql, sql.NullString and its kin; and
// generated protobuf messages, told by their method ProtoReflect. Functions registered with
// [TypeCodec], or JSON methods, make them legal. Any other struct is taken as its fields
// say, also one of another package that has no json tags, like image.Point.
//
// # Types of other packages
//
// What a type cannot say of itself is registered, once for the program, in a
// declaration: its schema with [TypeSchema], functions that write and read it as well
// with [TypeCodec], the legal values of a named string or integer type with [Enum].
//
//	var _ = reflectschema.TypeSchema[decimal.Decimal](`{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`)
//
//	var _ = reflectschema.Enum(StatusOpen, StatusClosed)
//
// That holds wherever the type is used: for fields, elements, keys of maps, members of
// unions, values of an any. Values are held against the schema before the type reads
// them, and after it wrote them. The tags of a field narrow the schema further.
//
// With functions a time.Duration is text for all tools of a program, which models write
// more reliably than nanoseconds:
//
//	var _ = reflectschema.TypeCodec(`{"type":"string","examples":["1h30m"]}`,
//		func(d *time.Duration) ([]byte, error) { return json.Marshal(d.String()) },
//		func(data []byte, d *time.Duration) (err error) {
//			var text string
//			if err := json.Unmarshal(data, &text); err != nil {
//				return err
//			}
//			*d, err = time.ParseDuration(text)
//			return err
//		})
//
// # Unions
//
// A value that is one of several structs has an interface type whose members
// [Union] names, once for the program:
//
//	type Shape interface{ isShape() }
//
//	var _ = reflectschema.Union("type", map[string]Shape{"circle": Circle{}, "square": Square{}})
//
//	type DrawIn struct {
//		Figure Shape `json:"figure" doc:"What to draw"`
//	}
//
// In JSON it is the object of the member with the discriminator in front:
//
//	{"figure":{"type":"circle","radius":1}}
//
// The schema has a branch for each member. Its description is that of the struct,
// by the doc tag of a blank field:
//
//	{"oneOf":[{"type":"object","properties":{"type":{"type":"string","const":"circle"},"radius":{"type":"number"}},"required":["type","radius"],"additionalProperties":false},{…}]}
//
// A union may stand wherever a type may, also in its own members. It is required
// like any other field and never null, in both directions; optional, omitempty,
// nullable and default mean what they always mean, with nil for absent and for
// null. To encode nil elsewhere, or what is no member, is an error. A member that
// is held by an any, or is the type of a field itself, has no discriminator.
//
// encoding/json does not know of unions: json.Marshal of a DrawIn writes no discriminator, and what it
// wrote cannot be read back. Where a program stores such values itself, [Marshal] and [Unmarshal] take the place of
// those of encoding/json:
//
//	row, err := reflectschema.Marshal(order)           // {"id":7,"payment":{"kind":"card","number":"4242"}}
//	order, err := reflectschema.Unmarshal[Order](row)  // order.Payment is a Card
//
// [AppendValue] encodes a value whose type is known only when it is there.
//
// What is wrong with a value is told for the member that it names.
//
// # Differences from encoding/json
//
// What a field is called, when it is left out and how a value is written is as in
// encoding/json, with these differences; each is an example of this package.
//
//   - Names are matched exactly, in their case, too.
//   - A name that is given twice is an error, where the last one would win.
//   - Members without a field are errors, unless a blank field lets them through.
//   - Members that are neither optional nor given are errors, not zero values.
//   - Absent members get the default that their tag declares.
//   - Fields with a default are written also when they are empty, whatever omitempty and omitzero say.
//   - A null is an error unless the tag says nullable, the type is any JSON, or writes null itself.
//   - The t and z of a time may be small letters, as in RFC 3339.
//   - Whole numbers are integers however they are written: 3.0 and 1e2.
//   - A number that float64 would change stays a json.Number in an any.
//   - An array takes exactly as many elements as it has.
//   - Keys of a map have one spelling each: 007 is not the key 7.
//   - Text is UTF-8 without lone surrogates, which would be replaced.
//   - Nesting ends at 512 levels, a number at 100 characters and an exponent of 999.
//   - Decoding replaces what was there before, and leaves nothing half-written.
//   - Nil slices and maps are written [] and {}, and nil bytes "".
//   - Strings are written with the fewest escapes: < stays <.
//   - Methods on the pointer are called also where the value has no address.
//   - What would be dropped or written strangely is an error when the type is compiled.
//
// # Tags
//
// A field is described by two tags. doc:"…" is prose, commas and all. jsonschema:"…"
// is a list of keywords, in JSON Schema's own words:
//
//	Location string `json:"location" jsonschema:"minLength=1" doc:"City, e.g. Lisbon, Portugal"`
//	Unit     string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
//
// A comma inside a value is written \\, in the tag, a backslash \\. On a slice or
// an array, what cannot be about the whole is about the elements. Values are
// written as the type has them: text as it is, numbers and bools as in JSON, a
// time.Duration as 1m30s or in nanoseconds, everything else in JSON. The lengths of
// bytes are those of their base64, which is what JSON Schema counts: 4 characters for
// each 3 bytes or the rest of them, so maxLength=8 is 6 bytes.
//
//	title=TEXT                  every field, blank field       short name for display
//	description=TEXT            every field, blank field       what it means; doc:"…" says the same and needs no escapes
//	enum=VALUE                  strings, numbers, bools, any   one of the legal values
//	enumTitle=TEXT              strings                        what a person sees in place of it, in a form; one per enum
//	const=VALUE                 strings, numbers, bools, any   the only legal value
//	default=VALUE               every field                    filled in when absent, so the field is optional; once per element of a slice
//	example=VALUE               every field, blank field       a value to show
//	minimum=NUMBER              numbers                        at least
//	maximum=NUMBER              numbers                        at most
//	exclusiveMinimum=NUMBER     numbers                        more than
//	exclusiveMaximum=NUMBER     numbers                        less than
//	multipleOf=NUMBER           numbers                        a whole multiple of
//	minLength=COUNT             strings, bytes                 at least so many characters; of bytes, in base64
//	maxLength=COUNT             strings, bytes                 at most so many characters; of bytes, in base64
//	pattern=REGEXP              strings                        matches, anywhere unless anchored; read alike by RE2 and ECMAScript
//	format=NAME                 strings                        a format of JSON Schema, which is checked
//	minItems=COUNT              slices                         at least so many elements
//	maxItems=COUNT              slices                         at most so many elements
//	uniqueItems                 slices, arrays                 no two elements alike
//	contains=VALUE              slices of scalars              a value that one of the elements has, or as many as minContains says
//	minContains=COUNT           slices of scalars              at least so many elements have the value of contains
//	maxContains=COUNT           slices of scalars              at most so many elements have the value of contains
//	minProperties=COUNT         maps                           at least so many members
//	maxProperties=COUNT         maps                           at most so many members
//	required                    every field                    must be there, whatever the json tag says
//	optional                    every field                    may be absent
//	nullable                    every field                    may be null: on pointers, slices, maps and unions
//	readOnly                    every field                    set by the server alone
//	writeOnly                   every field                    never sent back; not on results
//	deprecated                  every field, blank field       better not used
//	additionalProperties=BOOL   blank field                    whether members without a field are let through and dropped
//	x-…=TEXT                    every field, blank field       any annotation of your own, passed on as it is
//
// A blank field, _ struct{}, carries the tags of the struct itself. Those of an embedded struct
// count for the struct that embeds it as far as they are true of it: additionalProperties and x-….
// A keyword that the outer struct has itself takes the place of the embedded one. Two embedded structs that
// disagree, and any other keyword of an embedded struct that the outer one lacks, are errors.
//
// No tag of ours is ignored. It is an error on a field that is not in the JSON (unexported, json:"-", an embedded
// struct itself), on a field hidden by one without any tag of ours, and in a type whose JSON its own methods make.
//
// Bounds are held against each other and those of the Go type exactly: ranges, also of
// integers and with multipleOf, lengths, also with a format or a pattern, and how many
// items and members there can be. What several patterns, or a pattern and a format, leave
// over is not worked out.
//
// A jsonschema tag that is nothing but prose is the description, and
// jsonschema_description is one too, so that structs written for other libraries
// work as they are. A tag that reads like keywords, such as "minimum: 3" or "required
// true", is refused, since the description would be all that is left of them: a tag all
// of which is keywords with a value that they can have, or that has a keyword which is no
// English word, as in "minLength: 3" or "minLength of 3", or a JSON object. "minimum: the smallest price" is prose.
//
// Keywords that other libraries take and this one does not are errors, as is every
// mistake: an unknown or misspelt keyword, one for another type, a value that does not
// parse, bounds that no value meets, a default, example or enum that its own schema
// refuses, a pattern that clients would read differently, a tag key one slip away from
// ours (jsonscheam:"…"), a keyword as a key of its own (minimum:"3"), a malformed struct
// tag. All mistakes of a type are returned at once, as [TypeErrors]; each says where it is
// and what to write instead. Tags of other libraries, such as bson and toml, are left alone; keys with characters
// outside of ASCII are refused.
//
// # Hooks
//
// A type may describe itself with the methods of github.com/invopop/jsonschema,
// on the value or on the pointer:
//
//	JSONSchema() *jsonschema.Schema        // instead of what would be derived
//	JSONSchemaExtend(*jsonschema.Schema)   // in addition to it
//
// They are called for the type itself, not where they are promoted from an
// embedded field. What JSONSchema returns replaces the tags as well, which the method may read
// itself. A panic in one is an error of the type. What they say is
// checked for being a schema; that it is true is up to the author.
//
// What a type says of itself also holds where its values are written as texts: for the
// names of a map that it is the key of, where it becomes propertyNames, and for a number
// with json:",string". A schema of strings is taken as it is. One of numbers or bools
// becomes an enum of their texts, if the legal values are listed or are the integers of a
// range of at most 100. What cannot be said of texts, such as multipleOf, is refused.
//
// # Forms
//
// A person, too, can be asked for a value. [Type.Form] makes a form of a flat struct of
// text, numbers, booleans and choices, in the narrow dialects that user interfaces
// know, and reads what was filled in:
//
//	type Seat struct {
//		Class string `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First,enumTitle=Second,default=2"`
//		Quiet bool   `json:"quiet,omitempty" doc:"In a quiet car"`
//	}
//
// # Schemas by hand
//
// A schema that was written by hand can take the place of a derived one:
// [Type.WithSchema] shows it instead and holds values against both. It is refused if
// the two contradict each other, as [Type.Agrees] tells: for an input, whatever fits
// the schema must be what the type reads; for an output, the schema must promise
// nothing that no value of the type keeps.
//
// # Checking
//
// A value is held against its schema by github.com/santhosh-tekuri/jsonschema behind a
// strict front end: names are unique and case-sensitive, text is UTF-8, numbers are
// exact. What is wrong is an [InvalidError], whose text is made for a model that must
// repair its call.
//
// [Schema.Example] makes a value that fits, and [Schema.Samples] many that do and many that
// just do not, to try out what reads them.
//
// # Clients
//
// Valid JSON Schema is not what every client reads: some refuse a boolean in the
// place of a schema, some a list of types, some a reference. What is derived here
// is without all that, save where the type leaves no choice: what recursive
// types, unions, maps, bytes, any and optional fields must say is too much for the
// strict mode of one API or for the narrow dialect of another.
//
// Package lint, below this one, reports what a kind of client would refuse or ignore in a schema,
// from any server. A JSONSchema method that makes a mistake that JSON Schema lets pass, such as a
// misspelt keyword, is refused.
//
// Everything here is safe for concurrent use.
package reflectschema
