package private

import "context"

// Schemas are the funcs about schemas that the packages above need, and authors do not. T is *reflectschema.Type,
// S is *reflectschema.Schema.
type Schemas[T, S any] struct {
	// CallsMethods reports whether decoding or encoding may call methods on a value of the type itself, or on what it
	// holds without a pointer between them: UnmarshalJSON of a field, for one. Such a method may keep the pointer that
	// it is called on; if there is none, nobody keeps a pointer into what was decoded or encoded.
	CallsMethods func(T) bool
	// Wrapped returns the schema of an object whose one property, of that name and required, is what the schema
	// describes, for readers that accept objects only: of the value 1, and the name "result", they get {"result":1}.
	// Definitions move to the new root, and references are rewritten to where their targets are now. It reports false
	// when a document cannot be moved safely: with $id or nested $schema, which change what references mean; with
	// $dynamicRef; and with a reference to a place that is not known to hold a schema.
	Wrapped func(schema S, property string) (S, bool)
	// Shortener returns the func that cuts lists in JSON of the type, nil if there are none that may be cut. It calls check for
	// every field with an mcp tag: an empty reason means that the field is such a list, any other one that the tag is a
	// mistake, and how to fix it.
	//
	// The error is a reflectschema.TypeErrors with all these mistakes. It also has every blank field with an mcp tag, except
	// those that describe the tool whose arguments the type is: of an input that is a struct, and of the structs it embeds.
	Shortener func(t T, check func(TaggedField) (reason, fix string)) (Shorten, error)
	// AppendValue is reflectschema.AppendValue in a call, with the turns and the limit of [Checks].Append.
	AppendValue func(ctx context.Context, dst []byte, value any) ([]byte, error)
	// Mistakes calls report for every mistake in a schema written by hand: the findings of lint.AnyClient above Advice.
	Mistakes func(schema S, report func(pointer, found, why, fix string))
	// Judge is Schema.Check by the validator alone, without what answers most checks faster. The verdict is the same: it
	// is for tests of that, and of what is built on it.
	Judge func(schema S, data []byte) error
	// JudgeArguments is Judge for the arguments of a call, in the form that [Checks].CheckArguments accepts.
	JudgeArguments func(schema S, data []byte, coerce bool) error
}

// TaggedField is a field with an mcp tag.
type TaggedField struct {
	Tag      string // the value of the tag
	Type     string // of the field, as Go writes it
	IsInput  bool   // it is an argument, and not a part of a result
	IsList   bool   // it is a slice that becomes a JSON array
	MinItems int    // of its jsonschema tag, 0 if it has none
	MaxItems int    // of its jsonschema tag, -1 if it has none
}

// Shorten cuts lists in value, JSON of one type without white space, until it weighs at most so much, and returns what is
// left and what was cut, in the order of the text. Weigh says what a part of the text weighs; of two parts together it says the
// sum.
//
// Lists are cut from their ends, and all to the same number of elements, the largest with which the whole fits: long ones
// are cut, and those that have no more stay whole. None is cut below its minItems. If nothing fits even so, fits is false.
// A Shorten does not know schemas written by hand. It is safe for concurrent use.
type Shorten func(value []byte, most int, weigh func(part []byte) int) (short []byte, cuts []Cut, fits bool)

// Cut says how much is left of a list.
type Cut struct {
	Path  string // where the list is: groups[2].items
	Shown int    // how many elements are left, the first ones
	Total int    // how many there were
}
