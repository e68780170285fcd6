package private

import "context"

// Calls are the funcs about tools that servers need, and authors do not. T is *mcptool.Tool, R is *mcptool.Result,
// M is mcptool.Middleware.
type Calls[T, R, M any] struct {
	// Append is Tool.Call for servers that build a whole answer in one buffer: what Call returns as Structured is
	// appended to dst, which stays as it was if there is none, and when there is an error. The result has the rest, and
	// is nil when there is no more. Append does not enforce the tool's timeout: such a server does, and can answer
	// before the func returns.
	Append func(tool T, ctx context.Context, args, dst []byte) (out []byte, rest R, err error)
	// Injected returns the names of the arguments that Append removes because a client is known to add them.
	Injected func(tool T, args []byte) []string
	// IsString reports whether the func of the tool returns a string, which a server sends as the text of the result; the text
	// of any other result is its JSON.
	IsString func(tool T) bool
	// Wrap returns the tool with middleware around it, outside its own; the first is outermost. It is to be called once
	// for each tool. The tool itself stays as it is. Middleware that panics or returns no Handler makes a tool that
	// fails with that.
	Wrap func(tool T, middleware ...M) T
	// Truncate makes structured, the Structured of a result of the tool, weigh at most so much, for servers that bound
	// what they send: it cuts lists whose fields are tagged mcp:"truncate", from the end. Weigh returns what a part of
	// the text weighs. What is left fits the output schema; fits is false if there is nothing to cut, or not enough.
	Truncate func(tool T, structured []byte, most int, weigh func(part []byte) int) (short []byte, cuts []Cut, fits bool)
}

// Headers has the func about HTTP headers that repeat arguments. T is *mcptool.Tool.
type Headers[T any] struct {
	// Of returns the arguments that clients also send as headers, nil if there are none. The slice is shared: do not
	// modify it.
	Of func(tool T) []ParamHeader
}

// ParamHeader is an argument that is also sent as an HTTP header, by clients from revision 2026-07-28 on. It comes from a
// property with "x-mcp-header" in the input schema.
type ParamHeader struct {
	// Name is the name as the schema has it; the header is Mcp-Param-Name.
	Name string
	// Path is the names of the properties that lead to the argument.
	Path []string
}
