package main

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/reflectschema/samples"
)

// mostSamples is the maximum number of samples of a schema used as seeds.
const mostSamples = 100

// otherMethods is the name of a pseudo-tool for messages with other methods.
const otherMethods = "other methods"

// methods are all methods except tools/call, and one that does not exist.
var methods = []string{
	"initialize", "ping", "server/discover", "logging/setLevel", "subscriptions/listen", "completion/complete",
	"tools/list", "prompts/list", "prompts/get",
	"resources/list", "resources/templates/list", "resources/read", "resources/subscribe", "resources/unsubscribe",
	"tasks/get", "tasks/list", "tasks/result", "tasks/cancel", "tasks/update", "no/such/method",
}

// A start is the starting point of the search in the messages of a tool.
type start struct {
	seeds    []*message
	material *material
}

// startOf derives seeds and material from the schema of t.
func startOf(t *tool) (*start, error) {
	s := &start{material: newMaterial()}
	if t.Name == otherMethods {
		s.methodSeeds()
		return s, nil
	}
	made, err := t.make()
	if err != nil {
		return nil, err
	}
	schema := made.InputSchema()
	var doc any
	if err := json.Unmarshal(schema.JSON(), &doc); err != nil {
		return nil, err
	}
	s.collect(doc)
	s.samples(schema)
	s.fill(schema, doc)
	for _, item := range s.material.literals {
		s.add(many(item))
	}
	s.add(value{Kind: objectKind, Parts: []part{{Name: text{Head: "k", Numbered: true}, Value: raw("1"), Times: 1, Grows: true}}})
	return s, nil
}

// add adds a call with these arguments.
func (s *start) add(arguments value) {
	s.seeds = append(s.seeds, call(arguments))
}

// collect collects the names and values in a schema.
func (s *start) collect(doc any) {
	switch doc := doc.(type) {
	case []any:
		for _, item := range doc {
			s.collect(item)
		}
	case map[string]any:
		for _, keyword := range slices.Sorted(maps.Keys(doc)) {
			switch inner := doc[keyword]; keyword {
			case "properties", "patternProperties", "dependentSchemas", "$defs":
				members, _ := inner.(map[string]any)
				for i, name := range slices.Sorted(maps.Keys(members)) {
					if keyword == "properties" && i < 30 {
						s.name(name)
					}
					s.collect(members[name])
				}
			case "const", "default":
				s.literal(inner)
			case "enum", "examples":
				list, _ := inner.([]any)
				for _, item := range list[:min(len(list), 5)] {
					s.literal(item)
				}
			default:
				s.collect(inner)
			}
		}
	}
}

func (s *start) name(name string) {
	if v, ok := asValue(name); ok && !slices.Contains(s.material.names, v.Text) {
		s.material.names = append(s.material.names, v.Text)
	}
}

func (s *start) literal(literal any) {
	if v, ok := asValue(literal); ok {
		s.material.literals = append(s.material.literals, v)
	}
}

// asValue converts a Go value.
func asValue(v any) (value, bool) {
	data, err := json.Marshal(v)
	if err != nil {
		return value{}, false
	}
	as, err := valueOf(data)
	return as, err == nil
}

// samples adds the boundary values of the schema as seeds and as material.
func (s *start) samples(schema *reflectschema.Schema) {
	all := samples.Of(schema)
	for _, sample := range all[:min(len(all), mostSamples)] {
		v, err := valueOf(sample.JSON)
		if err != nil {
			continue
		}
		s.add(v)
		v.each(func(inner *value) {
			if len(inner.Parts) > 0 && len(inner.Parts) < 10 && len(s.material.literals) < 300 {
				s.material.literals = append(s.material.literals, inner.clone())
			}
		})
	}
}

// fill replaces each argument of the example with large values.
func (s *start) fill(schema *reflectschema.Schema, doc any) {
	example, err := valueOf(samples.Example(schema))
	if err != nil || example.Kind != objectKind {
		example = object()
	}
	root, _ := doc.(map[string]any)
	properties, _ := root["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		for _, large := range s.large() {
			arguments := example.clone()
			arguments.Parts = slices.DeleteFunc(arguments.Parts, func(p part) bool { return p.Name.Head == name })
			arguments.Parts = append(arguments.Parts, one(name, large))
			s.add(arguments)
		}
	}
}

// large returns values that grow.
func (s *start) large() []value {
	var all []value
	for _, item := range s.material.literals {
		all = append(all, many(item.clone()))
	}
	for _, unit := range s.material.units {
		all = append(all, value{Kind: stringKind, Text: text{Unit: unit, Times: 1, Grows: true}})
	}
	for _, item := range []string{"1", `"a"`, "{}", "[]"} {
		all = append(all, value{Kind: objectKind, Parts: []part{{Name: text{Head: "k", Numbered: true}, Value: raw(item), Times: 1, Grows: true}}})
	}
	return append(all, many(value{Kind: nestKind, Text: text{Unit: "[", Times: deepest}, Parts: []part{{Value: raw("1"), Times: 1}}}))
}

// methodSeeds adds requests for methods other than tools/call, with large params.
func (s *start) methodSeeds() {
	for _, method := range methods {
		for _, name := range []string{"cursor", "_meta", "taskId", "protocolVersion", "clientInfo", "ref"} {
			for _, large := range s.large()[:40] {
				s.seeds = append(s.seeds, &message{Method: method, Params: object(one(name, large)), Size: 1})
			}
		}
		for _, unit := range s.material.units {
			large := value{Kind: stringKind, Text: text{Unit: unit, Times: 1, Grows: true}}
			s.seeds = append(s.seeds, &message{Method: method, Params: object(one("cursor", large)), Size: 1})
		}
	}
}
