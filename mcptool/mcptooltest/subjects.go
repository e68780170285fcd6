package mcptooltest

import (
	"slices"
	"testing"

	"github.com/mcptool-go/mcptool/internal/compat"
	"github.com/mcptool-go/mcptool/mcptool"
)

// subjects are the tools, prompts and resources under test.
type subjects struct {
	tools     []*mcptool.Tool
	prompts   []*mcptool.Prompt
	resources []*mcptool.Resource
}

// subjectsOf returns the content of a registry, and ends the test if the registry is empty.
func subjectsOf(tb testing.TB, registry *mcptool.Registry) subjects {
	tb.Helper()
	registry = orDefault(registry)
	s := subjects{slices.Collect(registry.Tools()), slices.Collect(registry.Prompts()), slices.Collect(registry.Resources())}
	if len(s.tools)+len(s.prompts)+len(s.resources) == 0 {
		tb.Fatal("the registry has no tools, prompts or resources")
	}
	return s
}

// keys returns the names of the subjects in options.
func (s *subjects) keys() (names []string) {
	for _, tool := range s.tools {
		names = append(names, tool.Info().Name)
	}
	for _, prompt := range s.prompts {
		names = append(names, s.promptKey(prompt))
	}
	for _, resource := range s.resources {
		names = append(names, resource.URI())
	}
	return names
}

// promptKey returns the name of a prompt in options.
func (s *subjects) promptKey(prompt *mcptool.Prompt) string {
	for _, tool := range s.tools {
		if tool.Info().Name == prompt.Info().Name {
			return "prompt " + prompt.Info().Name
		}
	}
	return prompt.Info().Name
}

// recorded returns the resources that a snapshot includes. Resources of tools are excluded, because their URIs may
// depend on their contents.
func (s *subjects) recorded() (fixed, templates []*mcptool.Resource) {
	attached := map[string]bool{}
	for _, tool := range s.tools {
		for _, a := range internals.Settings(tool).Attachments {
			for _, resource := range a.Resources {
				attached[resource.URI()] = true
			}
		}
	}
	for _, resource := range s.resources {
		switch {
		case attached[resource.URI()]:
		case internals.IsTemplate(resource):
			templates = append(templates, resource)
		default:
			fixed = append(fixed, resource)
		}
	}
	return fixed, templates
}

// missing returns the names of subjects that the snapshot lacks.
func (s *subjects) missing(from *compat.Snapshot) (names []string) {
	look := func(kind compat.Kind, name string) {
		if entry, err := from.Entry(kind, name); err != nil || entry == nil {
			names = append(names, name)
		}
	}
	for _, tool := range s.tools {
		look(compat.ToolKind, tool.Info().Name)
	}
	for _, prompt := range s.prompts {
		look(compat.PromptKind, prompt.Info().Name)
	}
	fixed, templates := s.recorded()
	for _, resource := range fixed {
		look(compat.ResourceKind, resource.URI())
	}
	for _, resource := range templates {
		look(compat.TemplateKind, resource.URI())
	}
	return names
}
