package mcptool

import (
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// ParamHeader says that an argument is also sent as an HTTP header, by clients from revision
// 2026-07-28 on. It comes from a property with "x-mcp-header" in the input schema. Proxies read
// headers and keep them in logs: mark no argument that is secret or personal.
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
	root, err := schemaWithHeaders(schema)
	if err != nil || root == nil {
		return nil
	}
	return appendParamHeaders(nil, root, nil)
}

// appendParamHeaders adds those below one schema, in the order of their paths.
func appendParamHeaders(list []ParamHeader, schema map[string]any, path []string) []ParamHeader {
	if name, ok := schema[headerKeyword].(string); ok {
		list = append(list, ParamHeader{Name: name, Path: slices.Clone(path)})
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if sub, ok := properties[name].(map[string]any); ok {
			list = appendParamHeaders(list, sub, append(path, name))
		}
	}
	return list
}
