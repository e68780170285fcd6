package mcptool

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// ParamHeader says that an argument is also sent as an HTTP header, by clients from revision
// 2026-07-28 on. It comes from a property with "x-mcp-header" in the input schema.
type ParamHeader struct {
	// Name is the name as the schema has it; the header is Mcp-Param-Name.
	Name string
	// Path is the names of the properties that lead to the argument.
	Path []string
}

// ParamHeaders returns the arguments that are also sent as headers, nil if there
// are none. The slice is shared: do not modify it.
func (t *Tool) ParamHeaders() []ParamHeader { return t.headers }

// paramHeaders collects the headers of an input schema that checkHeaders has passed.
func paramHeaders(schema *reflectschema.Schema) []ParamHeader {
	raw := schema.JSON()
	if !strings.Contains(string(raw), headerKeyword) {
		return nil
	}
	return appendParamHeaders(nil, raw, nil)
}

// appendParamHeaders adds those below one schema, in the order of their paths.
func appendParamHeaders(list []ParamHeader, schema json.RawMessage, path []string) []ParamHeader {
	var node struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Header     string                     `json:"x-mcp-header"`
	}
	if json.Unmarshal(schema, &node) != nil {
		return list // a boolean schema
	}
	if node.Header != "" {
		list = append(list, ParamHeader{Name: node.Header, Path: slices.Clone(path)})
	}
	for _, name := range slices.Sorted(maps.Keys(node.Properties)) {
		list = appendParamHeaders(list, node.Properties[name], append(path, name))
	}
	return list
}
