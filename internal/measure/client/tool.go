package client

import (
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// A Tool is an entry of tools/list.
type Tool struct {
	Entry

	InputSchema  json.RawMessage `json:"inputSchema,omitempty"`
	OutputSchema json.RawMessage `json:"outputSchema,omitempty"` // nil if absent
	Annotations  *Annotations    `json:"annotations,omitempty"`  // nil if absent
	Execution    *Execution      `json:"execution,omitempty"`    // nil if absent

	contradiction string // see Contradiction
}

// Annotations are hints of a tool to clients; nil means absent.
type Annotations struct {
	Title           string `json:"title,omitempty"`
	ReadOnlyHint    *bool  `json:"readOnlyHint,omitempty"`
	DestructiveHint *bool  `json:"destructiveHint,omitempty"`
	IdempotentHint  *bool  `json:"idempotentHint,omitempty"`
	OpenWorldHint   *bool  `json:"openWorldHint,omitempty"`
}

// Execution describes how a tool may be run.
type Execution struct {
	TaskSupport string `json:"taskSupport,omitempty"` // "forbidden", "optional" or "required"; "" means forbidden
}

// An Icon is an icon of a tool, prompt or resource.
type Icon struct {
	Src      string   `json:"src"`
	MIMEType string   `json:"mimeType,omitempty"`
	Sizes    []string `json:"sizes,omitempty"`
}

// DisplayTitle returns the display name: the title, else the title in the annotations, else "".
func (t *Tool) DisplayTitle() string {
	if t.Title == "" && t.Annotations != nil {
		return t.Annotations.Title
	}
	return t.Title
}

// Contradiction returns why the entry of the tool is contradictory, or "": its name is listed more than once, an object
// in it has a duplicate member, or it is annotated as both read-only and destructive.
func (t *Tool) Contradiction() string {
	if a := t.Annotations; t.contradiction == "" && a != nil && isTrue(a.ReadOnlyHint) && isTrue(a.DestructiveHint) {
		return "readOnlyHint and destructiveHint are both true"
	}
	return t.contradiction
}

// ReadOnly reports whether the tool is annotated readOnlyHint: true, without a [Tool.Contradiction]. An absent hint
// means false. The hint is a claim of the server, which may be wrong.
func (t *Tool) ReadOnly() bool {
	return t.Annotations != nil && isTrue(t.Annotations.ReadOnlyHint) && t.Contradiction() == ""
}

func isTrue(hint *bool) bool { return hint != nil && *hint }

// markRepeated marks the tools that are listed more than once.
func markRepeated(tools []Tool) {
	seen := map[string]int{}
	for i := range tools {
		seen[tools[i].Name]++
	}
	for i := range tools {
		if seen[tools[i].Name] > 1 {
			tools[i].contradiction = fmt.Sprintf("it is listed %d times", seen[tools[i].Name])
		}
	}
}

// ReadTool decodes an entry of tools/list. Members that cannot be decoded are absent, see [Entry.Problems].
func ReadTool(entry json.RawMessage) Tool {
	var t Tool
	if err := strictjson.Check(entry); err != nil {
		t.contradiction = err.Error()
	}
	top := t.decode(entry)
	t.InputSchema, t.OutputSchema = top["inputSchema"], top["outputSchema"]
	if hints := t.nested(top, "annotations"); hints != nil {
		a := new(Annotations)
		t.Annotations = a
		readMember(&t.Entry, hints, "annotations.", "title", &a.Title, "a string")
		readMember(&t.Entry, hints, "annotations.", "readOnlyHint", &a.ReadOnlyHint, "a boolean")
		readMember(&t.Entry, hints, "annotations.", "destructiveHint", &a.DestructiveHint, "a boolean")
		readMember(&t.Entry, hints, "annotations.", "idempotentHint", &a.IdempotentHint, "a boolean")
		readMember(&t.Entry, hints, "annotations.", "openWorldHint", &a.OpenWorldHint, "a boolean")
	}
	if how := t.nested(top, "execution"); how != nil {
		t.Execution = new(Execution)
		readMember(&t.Entry, how, "execution.", "taskSupport", &t.Execution.TaskSupport, "a string")
	}
	t.finish(entry, &t)
	return t
}
