package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// A Tool is a tool as clients are shown it, as far as a change of it matters.
type Tool struct {
	Name         string          `json:"name"`
	Title        string          `json:"title,omitempty"`
	Description  string          `json:"description,omitempty"`
	InputSchema  json.RawMessage `json:"inputSchema"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"`
	Annotations  *Hints          `json:"annotations,omitempty"`
	Execution    *Execution      `json:"execution,omitempty"`
}

// Hints are what a tool says of its behaviour; nil is unsaid.
type Hints struct {
	Title       string `json:"title,omitempty"`
	ReadOnly    *bool  `json:"readOnlyHint,omitempty"`
	Destructive *bool  `json:"destructiveHint,omitempty"`
	Idempotent  *bool  `json:"idempotentHint,omitempty"`
	OpenWorld   *bool  `json:"openWorldHint,omitempty"`
}

// Execution is how a tool may be run.
type Execution struct {
	TaskSupport string `json:"taskSupport,omitempty"`
}

// snapshot is what a file holds. A result of tools/list is one, too.
type snapshot struct {
	Tools []Tool `json:"tools"`
}

// Parse reads a snapshot, or a result of tools/list.
func Parse(data []byte) ([]Tool, error) {
	var s snapshot
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("this is no snapshot of tools: %w", err)
	}
	if s.Tools == nil {
		return nil, errors.New(`this is no snapshot of tools: it has no member "tools"`)
	}
	names := map[string]bool{}
	for _, t := range s.Tools {
		if t.Name == "" || names[t.Name] {
			return nil, fmt.Errorf("this is no snapshot of tools: the name %q is empty or there twice", t.Name)
		}
		names[t.Name] = true
	}
	return s.Tools, nil
}

// Format writes a snapshot for people to read and to compare: the tools in the order of their
// names, everything else as it was.
func Format(tools []Tool) ([]byte, error) {
	s := snapshot{Tools: append([]Tool{}, tools...)}
	slices.SortFunc(s.Tools, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(s); err != nil {
		return nil, fmt.Errorf("the tools cannot be written: %w", err)
	}
	return b.Bytes(), nil
}
