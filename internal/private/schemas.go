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
	// AppendValue is reflectschema.AppendValue in a call, with the turns and the limit of [Checks].Append.
	AppendValue func(ctx context.Context, dst []byte, value any) ([]byte, error)
	// Judge is Schema.Check by the validator alone, without what answers most checks faster. The verdict is the same: it
	// is for tests of that, and of what is built on it.
	Judge func(schema S, data []byte) error
}
