package mcptool

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Tool is a tool: its name, description, schemas and func. Make one with [New], [NewRaw] or [NewService]. A Tool is
// immutable and safe for concurrent use. The zero value is not usable: [Tool.Call] returns an error, and [Registry.Add]
// refuses it.
type Tool struct {
	name           string
	title          string
	description    string
	annotations    ToolAnnotations
	scopes         []string
	timeout        time.Duration // 0 means unset
	rate           Rate          // zero means unset
	concurrent     int           // 0 means unset
	task           TaskTerms
	auditArguments bool
	coerce         *bool // nil if the server decides
	icons          []Icon
	meta           map[string]any
	input          *reflectschema.Schema
	output         structuredPart
	shorten        private.Shorten // cuts lists of Structured; nil if none may be cut
	headers        []private.ParamHeader
	invoke         invoke
	location       *callsite.Site      // the call that defined it
	method         string              // of the service, "" for a func
	kind           itemKind            // whose func it runs: a tool, prompt or resource
	visible        func(CallInfo) bool // nil means no condition
	attachments    []Attachment
}

// invoke runs the func of a tool, with JSON arguments. Its results are those of Call of [internals], and are checked.
type invoke func(ctx context.Context, args, dst []byte) ([]byte, *Result, error)

// ToolAnnotations are hints about a tool's behaviour. A client may show them or act on them, but should not trust them.
// Nil means unset: clients then assume that the tool is not read-only, is destructive, is not idempotent, and interacts
// with an open world.
type ToolAnnotations struct {
	// Title is the tool's title for clients of revision 2025-03-26, which expect it here. [Tool.Annotations] leaves it
	// empty; servers fill it in.
	Title           string
	ReadOnlyHint    *bool
	DestructiveHint *bool
	IdempotentHint  *bool
	OpenWorldHint   *bool
}

// Name returns the name of the tool.
func (t *Tool) Name() string { return t.name }

// Title returns the display name; "" means unset.
func (t *Tool) Title() string { return t.title }

// Description returns the description for the model; "" means unset.
func (t *Tool) Description() string { return t.description }

// Annotations returns the hints about the tool's behaviour.
func (t *Tool) Annotations() ToolAnnotations {
	a := t.annotations
	a.ReadOnlyHint, a.DestructiveHint = clone(a.ReadOnlyHint), clone(a.DestructiveHint)
	a.IdempotentHint, a.OpenWorldHint = clone(a.IdempotentHint), clone(a.OpenWorldHint)
	return a
}

// clone returns a pointer to a copy, nil for nil.
func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return new(*p)
}

// Icons returns a copy of the tool's icons; nil if there are none.
func (t *Tool) Icons() []Icon {
	icons := slices.Clone(t.icons)
	for i := range icons {
		icons[i].Sizes = slices.Clone(icons[i].Sizes)
	}
	return icons
}

// Meta returns a copy of the tool's _meta; nil if there is none. Each value is a [encoding/json.RawMessage], which must
// not be modified.
func (t *Tool) Meta() map[string]any { return maps.Clone(t.meta) }

// InputSchema returns the schema of the arguments. Its root has "type":"object".
func (t *Tool) InputSchema() *reflectschema.Schema { return t.input }

// OutputSchema returns the schema of [Result.Structured]; nil if the tool has none. Its root can have any type.
func (t *Tool) OutputSchema() *reflectschema.Schema { return t.output.schema }
