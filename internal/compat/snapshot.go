package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// A Tool contains the published fields of a tool that are compared.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *Hints          `json:"annotations,omitempty"`
	Execution    *Execution      `json:"execution,omitempty"`
}

// Hints are the annotations of a tool; nil means that the tool does not set the hint.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Execution is the execution field of a tool.
type Execution struct {
	TaskSupport string `json:"taskSupport,omitempty"`
}

// A Snapshot contains the lists that a server publishes. A nil list was not recorded, except that Tools always is.
type Snapshot struct {
	Tools     []Tool     `json:"tools"`
	Prompts   []Prompt   `json:"prompts,omitzero"`
	Resources []Resource `json:"resources,omitzero"`
	Templates []Template `json:"resourceTemplates,omitzero"`
}

// Entries are the entries of a server's lists, as raw JSON. A nil list is not recorded, except that nil Tools is an
// empty list.
type Entries struct {
	Tools, Prompts, Resources, Templates []json.RawMessage
}

// NewSnapshot returns a snapshot of the entries. It returns an error if an entry is not JSON or if [Parse] does.
func NewSnapshot(e Entries) (*Snapshot, error) {
	lists := map[string][]json.RawMessage{"tools": append([]json.RawMessage{}, e.Tools...)}
	for name, entries := range map[string][]json.RawMessage{"prompts": e.Prompts, "resources": e.Resources, "resourceTemplates": e.Templates} {
		if entries != nil {
			lists[name] = entries
		}
	}
	data, err := json.Marshal(lists)
	if err != nil {
		return nil, err
	}
	return Parse(data)
}

// Parse reads a snapshot in JSON. It also accepts a result of tools/list and the snapshots of earlier versions, which
// contain only tools. It returns an error if the member tools is missing, or if two entries of a list have the same
// name or URI, or an entry has none.
func Parse(data []byte) (*Snapshot, error) {
	var s Snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("not a snapshot of tools: %w", err)
	}
	if s.Tools == nil {
		return nil, errors.New(`not a snapshot of tools: it has no member "tools"`)
	}
	for _, err := range []error{
		distinct("name", s.Tools, func(t Tool) string { return t.Name }),
		distinct("name of a prompt", s.Prompts, func(p Prompt) string { return p.Name }),
		distinct("URI of a resource", s.Resources, func(r Resource) string { return r.URI }),
		distinct("URI of a template", s.Templates, func(t Template) string { return t.URITemplate }),
	} {
		if err != nil {
			return nil, fmt.Errorf("not a snapshot of tools: %w", err)
		}
	}
	return &s, nil
}

// distinct returns an error if an entry of the list has an empty key, or if two have the same key.
func distinct[T any](what string, list []T, key func(T) string) error {
	seen := map[string]bool{}
	for _, entry := range list {
		k := key(entry)
		if k == "" || seen[k] {
			return fmt.Errorf("%s %q is empty or duplicated", what, k)
		}
		seen[k] = true
	}
	return nil
}

// WithoutData returns the snapshot without resources that are data: those that match a listed template, such as the
// files of a directory, and the views of tools (ui://), whose URIs may depend on their contents. They appear and
// disappear without a change of the server. WithoutData of nil is nil.
func (s *Snapshot) WithoutData() *Snapshot {
	if s == nil {
		return nil
	}
	var templates []*uritemplate.Template
	for _, t := range s.Templates {
		if parsed, err := uritemplate.Parse(t.URITemplate); err == nil {
			templates = append(templates, parsed)
		}
	}
	rest := *s
	rest.Resources = slices.DeleteFunc(slices.Clone(s.Resources), func(r Resource) bool {
		return strings.HasPrefix(r.URI, "ui://") || slices.ContainsFunc(templates, func(t *uritemplate.Template) bool { _, ok := t.Match(r.URI); return ok })
	})
	return &rest
}

// Format returns [Snapshot.WithoutData] as indented JSON for reading and diffing. Each list is sorted by name or URI;
// everything else is unchanged.
func Format(s *Snapshot) ([]byte, error) {
	s = s.WithoutData()
	sorted := Snapshot{
		Tools:     inOrder(append([]Tool{}, s.Tools...), func(t Tool) string { return t.Name }),
		Prompts:   inOrder(slices.Clone(s.Prompts), func(p Prompt) string { return p.Name }),
		Resources: inOrder(slices.Clone(s.Resources), func(r Resource) string { return r.URI }),
		Templates: inOrder(slices.Clone(s.Templates), func(t Template) string { return t.URITemplate }),
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(sorted); err != nil {
		return nil, fmt.Errorf("encode the snapshot: %w", err)
	}
	return b.Bytes(), nil
}

// inOrder sorts list by key in place and returns it.
func inOrder[T any](list []T, key func(T) string) []T {
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(key(a), key(b)) })
	return list
}

// Entry returns the entry of this kind with this name or URI as JSON, or nil if there is none.
func (s *Snapshot) Entry(kind Kind, name string) (json.RawMessage, error) {
	switch kind {
	case PromptKind:
		return entry(s.Prompts, func(p Prompt) bool { return p.Name == name })
	case ResourceKind:
		return entry(s.Resources, func(r Resource) bool { return r.URI == name })
	case TemplateKind:
		return entry(s.Templates, func(t Template) bool { return t.URITemplate == name })
	default:
		return entry(s.Tools, func(t Tool) bool { return t.Name == name })
	}
}

func entry[T any](list []T, is func(T) bool) (json.RawMessage, error) {
	i := slices.IndexFunc(list, is)
	if i < 0 {
		return nil, nil
	}
	return json.Marshal(list[i])
}
