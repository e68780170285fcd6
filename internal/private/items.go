package private

// Prompts are the funcs about prompts that servers need, and authors do not. A prompt runs as a tool does, its runner. P is
// *mcptool.Prompt, T is *mcptool.Tool, R is *mcptool.Result, M is *mcptool.PromptResult.
type Prompts[P, T, R, M any] struct {
	// Runner returns the tool that runs the prompt: its name, scopes and limits are those of the prompt. Its arguments are
	// params.arguments of prompts/get, an object of strings. [Calls].Append appends nothing, and returns the rest that Result
	// reads.
	Runner func(P) T
	// Completer returns the tool that completes arguments, nil if there is nothing to complete. Its arguments are the params
	// of completion/complete; it appends the member completion of the result.
	Completer func(P) T
	// Result returns the messages that Runner has returned as its rest, checked and ready to be sent.
	Result func(R) M
}

// Resources are the funcs about resources that servers need, and authors do not. A resource is read as a tool is
// called. G is *mcptool.Registry, S is *mcptool.Resource, T is *mcptool.Tool, R is *mcptool.Result, C is
// mcptool.Contents, L is mcptool.ResourceLink.
type Resources[G, S, T, R, C, L any] struct {
	// Find returns the resource that is read by a URI, the URI in normal form, and the arguments of Runner, which it appends
	// to dst. It reports whether there is one.
	Find func(g G, uri string, dst []byte) (found S, normal string, args []byte, ok bool)
	// Runner returns the tool that reads the resource: its scopes and limits are those of the resource, and its name is the
	// URI or template. Its arguments are an object of the variables that the URI has, and its context answers to
	// [callctx.URI]. The result is what Contents needs.
	Runner func(S) T
	// Completer is as that of [Prompts].
	Completer func(S) T
	// Lister returns the tool that lists what there is under a template, nil if nothing does. Its arguments have the
	// cursor of the page: {"cursor":"…"}, or {} for the first one. Listed reads the rest that it returns.
	Lister func(S) T
	// Listed returns a page, checked and ready to be sent, and the cursor of the next one, "" if there is none.
	Listed func(R) (page []L, next string)
	// Contents returns the contents of a resource, checked and ready to be sent: uri is the one that it is read by, and
	// value and rest are what [Calls].Append has appended and returned.
	Contents func(resource S, uri string, value []byte, rest R) []C
	// Verbatim reports whether the contents must not be redacted.
	Verbatim func(S) bool
}
