// Package reflectschema derives a JSON Schema (draft 2020-12) from a Go type, and decodes and encodes values of the
// type by that schema. It implements no protocol.
//
// [Compile] examines a type once, reports everything in it that JSON cannot represent, and returns a [Type]: the
// [Schema] to publish, [Type.Decode] for input. [AppendValue] encodes output. The three agree: Decode accepts
// and AppendValue writes only values that fit the schema, and a value that fits can be decoded, except where a Go
// type or its methods accept less, as described below. [ParseSchema] reads a schema that was written by hand.
//
// # Directions
//
// A type is compiled for a [Direction].
//
// An input ([DirectionInput]) is written by a client. A field is required unless its type is a pointer, it has
// omitempty, omitzero, a default or the tag optional, or it belongs to a struct embedded by pointer; with the tag
// required it is always required. null is an error unless the tag has nullable. An [Optional] tells an absent argument
// from null.
//
// An output ([DirectionOutput]) is written by the program. A field is required unless it has omitempty, omitzero or the
// tag optional, or belongs to a struct embedded by pointer. A pointer may be null if it has neither omitempty nor
// omitzero.
//
// A field with a default is written even if it is empty and has omitempty or omitzero, because a reader takes the
// default for an absent field. So a pointer or union with a default may be null in an output. If a program encodes an
// input, such a field is omitted when it is nil, which requests the default, unless the tag has nullable. The fields of
// a struct embedded by pointer have no default in outputs and stored values, because the pointer may be nil.
//
// A stored value ([DirectionStored]) is written and later read by the program itself, and is read equal to what was
// written. It is written like an output, except that a zero field with the tag optional and no default is also omitted.
// When it is read, an absent field gets its default, or is zero. A type with methods needs both of a pair: MarshalJSON and
// UnmarshalJSON, or MarshalText and UnmarshalText. [Marshal] and [Unmarshal] compile the type as needed.
//
// The root is never null. A pointer type has the same schema as the type that it points at.
//
// # Types
//
// Names, embedding, omitempty, omitzero and ",string" mean the same as in encoding/json. A field of an embedded struct may
// be hidden by a shallower field of the same name, as in Go; the shallower field inherits none of its tags.
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
//	[]byte                {"description":"Bytes in base64","type":"string","contentEncoding":"base64"}
//	map[string]T          {"type":"object","properties":{},"additionalProperties":{"type":"boolean"}}
//	map[int]T             {"type":"object","properties":{},"additionalProperties":{"type":"boolean"},"propertyNames":{"pattern":"^-?(0|[1-9][0-9]*)$"}}
//	any, json.RawMessage  {}
//	json.Number           {"type":"number"}
//	time.Time             {"description":"Time in RFC 3339 with a time zone","type":"string","format":"date-time"}
//	time.Duration         {"description":"Duration in nanoseconds","type":"integer"}
//	big.Int               {"type":"integer"}
//	datetime.Date         {"description":"Date as YYYY-MM-DD","type":"string","format":"date"}
//	datetime.Duration     {"description":"Duration such as 1h30m","type":"string","pattern":"^-?([0-9]+(\\.[0-9]+)?(h|m|s|ms|us|ns))+$"}
//	with text methods     {"type":"string"}
//
// A description in a tag replaces these descriptions, which exist because some clients remove formats and other
// constraints from schemas, but keep descriptions.
//
// Structs and maps are objects. A struct accepts only members with a field, unless a blank field has the tag
// additionalProperties=true. A nil slice is [], a nil map {}. A slice of a byte type with its own schema, by a method
// or by registration, is an array. Recursive types become definitions ($defs), which $ref refers to; all other types
// are written out wherever they occur, because many clients do not follow references. If the document would have more
// than 40 kB, descriptions included, which is about 10 000 tokens, named structs and unions also become definitions, if
// each makes the document at least 500 bytes smaller. If it then has more than 10 000 schemas, Compile returns an error.
//
// The schema of a type with MarshalJSON or UnmarshalJSON is {}, which allows every value and does not help a model. A
// JSONSchema method of the type, or [RegisterSchema], replaces it. Without them, the types in the results of the methods
// OpenAPISchemaType and OpenAPIV3OneOfTypes are used, which the types of Kubernetes have:
//
//	metav1.Time           {"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}
//	metav1.Duration       {"type":"string"}
//	intstr.IntOrString    {"anyOf":[{"type":"integer"},{"type":"string"}]}
//	resource.Quantity     {"anyOf":[{"type":"string"},{"type":"number"}]}
//
// OpenAPISchemaFormat adds a format that JSON Schema defines. Such a schema allows null if the zero value is written as
// null. It is not used if a method panics, or if the zero value does not fit. Compile calls these methods and
// MarshalJSON on the zero value, so they must not block.
//
// In a direction for which a type has no method, its Go kind is described, which encoding/json then reads or writes.
// Methods with pointer receivers count, and are also called on values that are not addressable, which encoding/json does
// not do. If UnmarshalJSON does not read an integer that is written as 1.0 or 1e2, it is called again with 1 or 100.
//
// UnmarshalJSON is called with null if the schema allows null. For an optional member of a type without a registered
// schema, null counts as absent if UnmarshalJSON returns an error, or if it leaves the zero value of a type that neither
// has a JSONSchema method nor writes its zero value as null.
//
// The limits of int64, uint64, int and uint are not in the schema, except the minimum 0 of unsigned types: they would
// cost tokens at each field, and a client that keeps them as float64 would round them. Decode enforces them exactly:
// 1e19 in an int64 violates the maximum 9223372036854775807. A client in JavaScript rounds integers beyond ±2^53
// before it sends them: use json:",string", or a string, for larger identifiers. The schema also does not express
// that time.Time has no leap seconds, which the format date-time allows (RFC 3339, section 5.6).
//
// These types are errors, reported with their location and a fix:
//
//   - chan, func, complex numbers and uintptr
//   - interfaces with methods that are not unions, in an input or a stored value
//   - maps whose keys are neither strings, integers nor types with text methods
//   - an [Optional] that is not the field of a struct, or of a type that may itself be null
//   - generated protobuf messages, which have the method ProtoReflect
//   - stored types with only one of MarshalJSON and UnmarshalJSON, or of MarshalText and UnmarshalText
//
// # Types of other modules
//
// A struct is the author's own if a field of it has a tag of this package: doc, jsonschema, mcp or one of the others
// below. In such a struct, these are errors as well, because the author expects something else:
//
//   - two fields with the same name at the same depth, of which encoding/json drops at least one
//   - options and names in the json tag that encoding/json ignores, options that have no effect, and ",string" on a
//     string, which puts JSON inside JSON
//   - omitempty on a struct, an array or a [time.Time] of an output, which is written nevertheless
//   - keywords as tags of their own, such as minimum:"3", and misspelt keys
//   - an interface with methods that is not a union
//   - structs that have fields, but no exported ones, such as a type defined as time.Time, which lacks its methods
//   - in an input, a pointer to a pointer, which is nil for an absent argument as for null
//   - structs that would be written by a method of an embedded field, without their other fields
//   - types that encoding/json writes in a form that does not represent them: url.URL, net.IPNet, net.IPMask,
//     net.HardwareAddr, list.Element, ring.Ring, reflect.Value, and the nullable columns of database/sql such as
//     sql.NullString
//
// [RegisterJSON] makes all but the first two usable, in the form of encoding/json; interfaces only as results. Functions
// registered with [RegisterCodec], or JSON methods, give a type another form, and the module integrations/protobuf gives
// protobuf messages theirs.
//
// Any other struct may belong to a module that the author cannot change. It is described as encoding/json treats it: a
// field with omitempty that is always written is required, an interface in an output is {}, a url.URL is an object of its
// fields. The structs that a struct embeds, and the types of its fields, are judged for themselves. Only the type decides,
// so a type does not compile in one program and fail in another. mcptoolvet, and Check of package mcptooltest, report
// these mistakes also in structs without tags, if they belong to the module that is checked. In a stored value they are
// errors in every struct, because what is not written is lost. A value in an any is written as encoding/json writes it,
// in structs of the author as well, unless a part of its type has no JSON at all.
//
// # Types of other packages
//
// Properties that a type cannot declare itself are registered in an init function, once for the program: [RegisterSchema]
// registers the schema of a type, [RegisterCodec] its schema and the functions that write and read it, [RegisterJSON] its schema
// in the form of encoding/json, and [RegisterEnum] the allowed values of a named string or integer type.
//
//	func init() {
//		reflectschema.RegisterSchema[decimal.Decimal](`{"type":"string","pattern":"^-?[0-9]+(\\.[0-9]+)?$"}`)
//		reflectschema.RegisterEnum(StatusOpen, StatusClosed)
//	}
//
// Package wellknown, in the directory below, registers types of well-known modules, such as decimal.Decimal and
// pgtype.Text, without importing the modules.
//
// A registration applies wherever the type is used: to fields, elements, keys of maps, members of unions and the
// values in an any. Values are checked against the schema before the type reads them and after it has written them.
// The tags of a field can narrow the schema further.
//
// For example, these functions make every time.Duration of a program a string, for structs that cannot use [Duration]:
//
//	func init() {
//		reflectschema.RegisterCodec(`{"type":"string","examples":["1h30m"]}`,
//			func(d *time.Duration) ([]byte, error) { return json.Marshal(d.String()) },
//			func(data []byte, d *time.Duration) (err error) {
//				var text string
//				if err := json.Unmarshal(data, &text); err != nil {
//					return err
//				}
//				*d, err = time.ParseDuration(text)
//				return err
//			})
//	}
//
// # Unions
//
// A value that may be one of several structs has an interface type. [RegisterUnion] registers the structs, once for the
// program:
//
//	type Shape interface{ isShape() }
//
//	func init() {
//		reflectschema.RegisterUnion("type", map[string]Shape{"circle": Circle{}, "square": Square{}})
//	}
//
//	type DrawIn struct {
//		Figure Shape `json:"figure" doc:"What to draw"`
//	}
//
// In JSON the value is the object of its struct, with the discriminator as the first member:
//
//	{"figure":{"type":"circle","radius":1}}
//
// The schema has a branch for each struct, with the description that a blank field of the struct has in its doc tag:
//
//	{"anyOf":[{"type":"object","properties":{"type":{"type":"string","const":"circle"},"radius":{"type":"number"}},"required":["type","radius"],"additionalProperties":false},{…}]}
//
// A union may be used wherever a type may, also in its own structs. A field with a union is required like any other
// field and is never null, in both directions. The tags optional and nullable, omitempty and defaults have their usual
// meaning: a nil union is written as absent or as null. Encoding any other nil, or a value that is not one of the
// structs, is an error. A struct of a union is written without a discriminator if it is in an any, or if it is itself
// the type of a field. Violations name the location in the struct that the discriminator selects.
//
// encoding/json does not support unions: json.Marshal of a DrawIn writes no discriminator, and the result cannot be
// read back. To store such values, use [Marshal] and [Unmarshal] instead:
//
//	row, err := reflectschema.Marshal(order)           // {"id":7,"payment":{"kind":"card","number":"4242"}}
//	order, err := reflectschema.Unmarshal[Order](row)  // order.Payment is a Card
//
// [AppendValue] encodes a value whose type is known only at run time.
//
// # Differences from encoding/json
//
// Names, omitted fields and the form of values are as in encoding/json, with these differences; each has an example.
//
//   - Names of members are case-sensitive.
//   - A name that occurs twice in an object is an error; encoding/json takes the last value.
//   - A member without a field is an error, unless a blank field has additionalProperties=true.
//   - An absent member is an error, unless its field is optional.
//   - An absent member has the default of its tag.
//   - A field with a default is written even if it is empty and has omitempty or omitzero.
//   - null is an error unless the tag has nullable, or the type is any, json.RawMessage or one with UnmarshalJSON.
//   - A time may be written with a lower-case t and z, as RFC 3339, section 5.6, allows.
//   - An integer may be written as 3.0 or 1e2.
//   - A number that float64 would round is a json.Number in an any.
//   - An array must have as many elements as the Go array.
//   - An integer key of a map has one spelling: 007 is not read as 7.
//   - Invalid UTF-8 and lone surrogates are errors; encoding/json replaces them.
//   - A value has at most 512 levels, a number at most 100 characters and an exponent of at most 999.
//   - Decoding replaces the previous value, with the zero value if there is an error.
//   - Nil slices are written as [], nil maps as {} and nil bytes as "".
//   - An absent Optional is omitted, also without omitzero.
//   - Strings are written with as few escapes as possible: < is not escaped.
//   - Methods with pointer receivers are also called on values that are not addressable.
//   - What encoding/json drops, or writes in an unexpected form, is an error in a struct with tags of this package.
//
// # Tags
//
// Two tags describe a field. doc:"…" is prose, in which commas have no meaning. jsonschema:"…" is a list of keywords,
// named as in JSON Schema:
//
//	Location string `json:"location" jsonschema:"minLength=1" doc:"City, e.g. Lisbon, Portugal"`
//	Unit     string `json:"unit" jsonschema:"enum=celsius,enum=fahrenheit,default=celsius"`
//
// In the tag, a comma within a value is written as \\, (two backslashes and a comma), and a backslash as \\. On a slice
// or an array, a keyword that does not apply to arrays applies to the elements. Values are written in the form of the
// type: strings as they are, numbers and bools as in JSON, a time.Duration as 1m30s or in nanoseconds, everything else
// in JSON. The bounds minimum, maximum, exclusiveMinimum and exclusiveMaximum also apply to a type with text methods and a
// method Compare(T) int, such as datetime.Date, datetime.Duration and netip.Addr. JSON Schema has no keyword for them, so the
// description of the field contains them, and Decode and AppendEncode check them. The length of bytes is the length of their base64, which JSON Schema counts: every 3 bytes, and any rest,
// take 4 characters, so maxLength=8 allows 6 bytes.
//
//	title=TEXT                  every field, blank field       short name for display
//	description=TEXT            every field, blank field       the description; doc:"…" does the same without escapes
//	enum=VALUE                  strings, numbers, bools, any   one of the allowed values; const for all constants of a string type
//	enumTitle=TEXT              strings                        shown by a form in place of the value; one per enum
//	const=VALUE                 strings, numbers, bools, any   the only allowed value
//	default=VALUE               every field                    the value if absent, which makes the field optional; one per element of a slice
//	example=VALUE               every field, blank field       an example value
//	minimum=NUMBER              numbers                        at least
//	maximum=NUMBER              numbers                        at most
//	exclusiveMinimum=NUMBER     numbers                        more than
//	exclusiveMaximum=NUMBER     numbers                        less than
//	multipleOf=NUMBER           numbers                        a whole multiple of
//	minLength=COUNT             strings, bytes                 at least so many characters; for bytes, of their base64
//	maxLength=COUNT             strings, bytes                 at most so many characters; for bytes, of their base64
//	pattern=REGEXP              strings                        a regular expression, not anchored by itself, that RE2 and ECMAScript read alike
//	format=NAME                 strings                        a format of JSON Schema, which is asserted
//	minItems=COUNT              slices                         at least so many elements
//	maxItems=COUNT              slices                         at most so many elements
//	uniqueItems                 slices, arrays                 no two elements are equal
//	contains=VALUE              slices of scalars              a value that at least one element has, or minContains elements
//	minContains=COUNT           slices of scalars              at least so many elements have the value of contains
//	maxContains=COUNT           slices of scalars              at most so many elements have the value of contains
//	minProperties=COUNT         maps                           at least so many members
//	maxProperties=COUNT         maps                           at most so many members
//	required                    every field                    must be present, whatever the json tag says
//	optional                    every field                    may be absent
//	dependentRequired=TEXT      every field                    a field, by its name in JSON, that must be present if this one is
//	nullable                    every field                    may be null: on pointers, slices, maps and unions
//	readOnly                    every field                    only the server sets it
//	writeOnly                   every field                    never sent back; not in results
//	deprecated                  every field, blank field       should no longer be used
//	additionalProperties=BOOL   blank field                    whether members without a field are accepted, and dropped
//	x-…=TEXT                    every field, blank field       a custom annotation, published unchanged
//
// A blank field, _ struct{}, has the tags of the struct itself. Of the tags of an embedded struct, only
// additionalProperties and x-… apply to the struct that embeds it. A keyword on the outer struct replaces the same
// keyword on the embedded one. It is an error if two embedded structs disagree, or if an embedded struct has any other
// keyword that the outer struct does not have.
//
// Tags of this package are never ignored. They are errors on a field that is not in the JSON (unexported, json:"-", an
// embedded struct itself), on a field that is hidden by a field without such tags, and in a type whose own methods
// make its JSON.
//
// Bounds that contradict each other or the Go type are errors: of numbers, also between two integers or two multiples; of
// lengths, also of the length of a pattern or format; and of the number of items and members, also of how many different
// ones there are. Other contradictions, such as between a pattern and a format, are found only at the first call.
//
// A jsonschema tag that consists of prose is the description, and a jsonschema_description tag always is, so that
// structs written for other libraries need no change. A tag that looks like keywords is an error, because it would only
// be published as the description: "minimum: 3" or "required true", where all of the tag is keywords with possible
// values, or "minLength: 3" in a sentence, whose keyword is not an English word. "minimum: the smallest price" is
// prose.
//
// Doc comments can describe what tags do not, see package doccomment. With enum=const, a field of a
// defined string type, or a slice of one, lists the constants of the type in their order.
//
// All other mistakes are also errors:
//
//   - a keyword that only other libraries have, an unknown or misspelt keyword, or a keyword for another type
//   - a value that cannot be parsed, or bounds that no value meets
//   - a default, example or enum that does not fit its own schema
//   - a pattern that clients would read differently
//   - a tag key that differs from one of this package by one letter (jsonscheam:"…"), a keyword as a tag key
//     (minimum:"3"), a key with characters outside of ASCII, or a malformed struct tag
//   - a json tag on an unexported field
//   - a single enum value with bars (enum=a|b|c)
//   - in an output, omitempty on a struct or an array, which encoding/json never omits: use omitzero
//
// Compile returns all mistakes of a type at once, as [TypeErrors], each with its location and a fix. Tags of other
// libraries, such as bson and toml, are ignored.
//
// # Hooks
//
// A type may describe itself with the methods of github.com/invopop/jsonschema, with value or pointer receiver:
//
//	JSONSchema() *jsonschema.Schema        // replaces the derived schema
//	JSONSchemaExtend(*jsonschema.Schema)   // changes the derived schema
//
// Methods that are promoted from an embedded field are not called. The schema that JSONSchema returns replaces the tags
// as well; the method may read them itself. A panic in a method is an error of the type. Compile checks that the result
// is a valid schema, but not that it describes the values that the type reads and writes.
//
// The schema of a type also applies where its values are written as strings: as keys of a map, where it becomes
// propertyNames, and as numbers with json:",string". A schema of strings is used unchanged. A schema of numbers or
// bools becomes an enum of their texts, if it lists the allowed values or allows the integers of a range of at most
// 100. Keywords that cannot be expressed for strings, such as multipleOf, are errors.
//
// # Forms
//
// mcptool.Elicit makes a form for people from a flat struct of strings, numbers, booleans and choices, in the restricted
// dialects that user interfaces support, and decodes the answers:
//
//	type Seat struct {
//		Class string `json:"class" jsonschema:"enum=1,enum=2,enumTitle=First,enumTitle=Second,default=2"`
//		Quiet bool   `json:"quiet,omitempty" doc:"In a quiet car"`
//	}
//
// # Schemas by hand
//
// The options InputSchema and OutputSchema of package mcptool publish a schema that was written by hand in place of the
// derived one, and values are checked against both. The schema must agree with the type: names, types, required members
// and defaults are compared, other keywords are not. References to "#/…" are followed, and anyOf of a schema and null is
// compared like a type. Schemas that consist of others in another way are not compared.
//
// # Checking
//
// Values must be strict JSON (RFC 7493): member names are unique, and text is valid UTF-8. Numbers are compared
// exactly. Formats are asserted (JSON Schema Validation, section 7.2.2). Package github.com/santhosh-tekuri/jsonschema
// compiles schemas; this module applies them to values, within the limits that [Schema.Check] documents. The error is
// an [InvalidError], whose text is written for a model that has to correct its call.
//
// Package samples, in the directory below, makes a value that fits a schema, and many values at its limits, inside and
// outside, for tests of programs that read such values.
//
// # Clients
//
// Not every client supports all of JSON Schema: some reject boolean schemas, some a list of types, some references.
// Derived schemas avoid these, unless the type requires them: the schemas of recursive types, unions, maps, bytes, any
// and optional fields need more than the strict mode of one API or the restricted dialect of another supports.
//
// Package lint, in the directory below, reports what a client would reject or ignore in a schema of any server.
// Compile itself reports mistakes that JSON Schema allows, such as misspelt keywords, in the schemas that JSONSchema
// methods make.
//
// All functions and methods of this package are safe for concurrent use.
package reflectschema
