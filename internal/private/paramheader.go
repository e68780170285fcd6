package private

// ParamHeader is an argument that clients of revision 2026-07-28 and later also send as an HTTP header. It is a property
// with "x-mcp-header" in the input schema.
type ParamHeader struct {
	// Name is the name in the schema; the header is Mcp-Param-Name.
	Name string
	// Path has the names of the properties that lead to the argument.
	Path []string
}
