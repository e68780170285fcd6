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
	settings    settings
	annotations ToolAnnotations
	input       *reflectschema.Schema
	output      structuredPart
	invoke      invoke
	location    *callsite.Site  // the call that defined it
	method      string          // of the service, "" for a func
	kind        itemKind        // whose func it runs: a tool, prompt or resource
	known       map[string]bool // the arguments that are kept, see IgnoringUnknown of [internals]; nil keeps all
}

// Info is the part of a description that tools, prompts and resources have in common. It is a copy, except for the values
// in Meta: a change of it does not change the tool, prompt or resource.
type Info struct {
	// Name is the name. It is never empty.
	Name string
	// Title is the display name; "" means unset.
	Title string
	// Description is the description, which for a tool is for the model; "" means unset.
	Description string
	// Icons are the pictures; nil if there are none.
	Icons []Icon
	// Meta is the _meta of the entry in lists; nil if there is none. The values are of type
	// [encoding/json.RawMessage] and must not be modified. Members of extensions ([Attachment]) are not included.
	Meta map[string]any
	// Groups are the groups that the item is in, sorted; nil if there are none. Meta also has them. See the option [Group].
	Groups []string
	// Scopes are the scopes that a caller needs, sorted; nil if there are none. See the option [Scopes].
	Scopes []string
}

// clone returns a copy that shares no memory with i, except for the values in Meta.
func (i Info) clone() Info {
	i.Icons, i.Meta, i.Scopes, i.Groups = slices.Clone(i.Icons), maps.Clone(i.Meta), slices.Clone(i.Scopes), slices.Clone(i.Groups)
	for k := range i.Icons {
		i.Icons[k].Sizes = slices.Clone(i.Icons[k].Sizes)
	}
	return i
}

// settings are what a server needs to know about a tool: see [internals.Settings].
type settings struct {
	Info                           // the Name of a resource's runner is its URI or template
	Timeout          time.Duration // 0 means unset
	Rate             Rate          // with its defaults filled in; zero means unset
	Concurrent       int           // 0 means unset
	Task             TaskSupport
	Durable          bool          // of tasks
	TaskTTL          time.Duration // 0 means unset
	PollInterval     time.Duration // 0 means unset
	AuditArguments   bool
	AskFirst         bool                                 // a question is asked before the func runs
	Coerce           *bool                                // nil if the server decides
	OmitOutputSchema *bool                                // in lists; nil if the server decides
	VisibleIf        func(context.Context, CallInfo) bool // nil means no condition; call it with VisibleTo of internals
	Attachments      []Attachment                         // the values in Meta are of type json.RawMessage
	Headers          []private.ParamHeader                // the arguments that clients also send as headers
	IsString         bool                                 // the output type is a plain string, which is also the text of the result
	Verbatim         bool                                 // the contents of a resource must not be redacted
	Completer        *Tool                                // completes arguments: takes the params of completion/complete; nil if there is nothing to complete
	Authorizer       *Tool                                // decides whether the caller may read the resource: takes the variables of its URI; nil if there is none
	Lister           *Tool                                // lists the resources under a template: takes the cursor, {"cursor":"…"} or {}; nil if there is none
}

// invoke runs the func of a tool, with JSON arguments. Its results are those of Call of [internals], and are checked.
type invoke func(ctx context.Context, args, dst []byte) ([]byte, *Result, error)

// ToolAnnotations are hints about a tool's behaviour. A client may show them or act on them, but should not trust them.
// Nil means unset: clients then assume that the tool is not read-only, is destructive, is not idempotent, and interacts
// with an open world. DestructiveHint is false, not nil, if ReadOnlyHint is true.
type ToolAnnotations struct {
	ReadOnlyHint    *bool
	DestructiveHint *bool
	IdempotentHint  *bool
	OpenWorldHint   *bool
}

// TaskSupport is whether calls of a tool run as tasks. A call that runs as a task is answered at once with a handle,
// which the client uses to get the result later. The values are also those of the tag and of tools/list.
// "forbidden", the default, means that calls never run as tasks: each is answered when the func returns. In Go, "" means
// the same.
type TaskSupport string

// The values of TaskSupport. They make no difference for clients of a revision without tasks, which wait for the
// result.
const (
	// TaskSupportOptional means that a call runs as a task if the client asks for that, in revision 2025-11-25, or from
	// revision 2026-07-28 on if the client supports tasks and the call takes longer than a short delay. Otherwise the
	// client waits for the result.
	TaskSupportOptional TaskSupport = "optional"
	// TaskSupportRequired means that every call runs as a task. A client whose revision has tasks but that does not use them
	// gets an error.
	TaskSupportRequired TaskSupport = "required"
)

// Info returns the tool's name, texts, icons, _meta and scopes.
func (t *Tool) Info() Info { return t.settings.Info.clone() } //nolint:staticcheck // clone of Info, which settings embeds

// Annotations returns a copy of the hints about the tool's behaviour.
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

// InputSchema returns the schema of the arguments. Its root has "type":"object".
func (t *Tool) InputSchema() *reflectschema.Schema { return t.input }

// OutputSchema returns the schema of [Result.Structured]; nil if the tool has none. Its root can have any type. A server does
// not send it to clients with [OmitOutputSchema].
func (t *Tool) OutputSchema() *reflectschema.Schema { return t.output.schema }

// attachedResources returns the resources of all attachments.
func (t *Tool) attachedResources() (all []*Resource) {
	for _, a := range t.settings.Attachments {
		all = append(all, a.Resources...)
	}
	return all
}

func (t *Tool) key() string      { return t.settings.Name }
func (t *Tool) isEmpty() bool    { return t == nil || t.invoke == nil }
func (*Tool) itemKind() itemKind { return kindTool }

// listed implements [item]. For which callers a condition holds is unknown.
func (t *Tool) listed() []any {
	s := &t.settings
	if s.VisibleIf != nil {
		return nil
	}
	listed := []any{s.Info, t.annotations, s.Task, s.OmitOutputSchema, s.Attachments}
	for _, schema := range []*reflectschema.Schema{t.input, t.output.schema} {
		if schema == nil {
			listed = append(listed, nil)
		} else {
			listed = append(listed, schema.JSON())
		}
	}
	return listed
}

// definedAt returns the location where the tool was defined, with the method if it is from a service.
func (t *Tool) definedAt() string {
	if t.method == "" {
		return t.location.String()
	}
	return t.location.String() + " by the method " + t.method
}
