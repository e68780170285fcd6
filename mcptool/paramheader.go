package mcptool

import (
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// paramHeaders collects the headers of an input schema that checkHeaders has passed.
func paramHeaders(schema *reflectschema.Schema) []private.ParamHeader {
	root, err := schemaWithHeaders(schema)
	if err != nil || root == nil {
		return nil
	}
	return appendParamHeaders(nil, root, nil)
}

// appendParamHeaders adds the headers below one schema, in the order of their paths.
func appendParamHeaders(list []private.ParamHeader, schema map[string]any, path []string) []private.ParamHeader {
	if name, ok := schema[headerKeyword].(string); ok {
		list = append(list, private.ParamHeader{Name: name, Path: slices.Clone(path)})
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if sub, ok := properties[name].(map[string]any); ok {
			list = appendParamHeaders(list, sub, append(path, name))
		}
	}
	return list
}
