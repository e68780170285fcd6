package private

// Documents are the funcs about schema documents that package lint needs. S is *reflectschema.Schema, D is *vet.Document.
type Documents[S, D any] struct {
	// Parse reads a document that need not be a valid schema, only an object in strict JSON. The error for any other is a
	// *reflectschema.SchemaError.
	Parse func(raw []byte) (D, error)
	// Document returns the document of a schema.
	Document func(S) D
}
