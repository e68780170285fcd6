package mcptooltest

import (
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// subjects are what is tested.
type subjects struct {
	tools     []*mcptool.Tool
	prompts   []*mcptool.Prompt
	resources []*mcptool.Resource
}

// subjectsOf returns what is in a registry, and ends the test if there is nothing.
func subjectsOf(tb testing.TB, registry *mcptool.Registry) subjects {
	tb.Helper()
	registry = orDefault(registry)
	s := subjects{registry.Tools(), registry.Prompts(), registry.Resources()}
	if len(s.tools)+len(s.prompts)+len(s.resources) == 0 {
		tb.Fatal("the registry has no tools, prompts or resources")
	}
	return s
}

// keys returns the names by which options speak of the subjects.
func (s *subjects) keys() (names []string) {
	for _, tool := range s.tools {
		names = append(names, tool.Name())
	}
	for _, prompt := range s.prompts {
		names = append(names, s.promptKey(prompt))
	}
	for _, resource := range s.resources {
		names = append(names, resource.URI())
	}
	return names
}

// promptKey returns the name by which options speak of a prompt.
func (s *subjects) promptKey(prompt *mcptool.Prompt) string {
	for _, tool := range s.tools {
		if tool.Name() == prompt.Name() {
			return "prompt " + prompt.Name()
		}
	}
	return prompt.Name()
}
