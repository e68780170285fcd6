package private

// TextArguments are the funcs about what clients send as text, the arguments of prompts and the variables of URIs, that the
// test kit needs. P is *mcptool.Prompt, R is *mcptool.Resource, S is *reflectschema.Schema.
type TextArguments[P, R, S any] struct {
	// Prompt returns the schema of the arguments as the func decodes them: numbers, not texts.
	Prompt func(P) S
	// Typed returns the object that the schema is about, for the arguments that a client has sent.
	Typed func(p P, args []byte) ([]byte, error)
	// Resource returns the schema of the variables of the URI as the func decodes them.
	Resource func(R) S
	// Variables returns the object that the schema is about, and reports whether the URI matches.
	Variables func(r R, uri string) ([]byte, bool)
}
