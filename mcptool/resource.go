package mcptool

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// Resource is something that clients can read by its URI, or, if its URI has variables, a template of such URIs. Make one
// with [NewResource] or [Files]. A Resource is immutable and safe for concurrent use. The zero value is not usable:
// [Resource.Read] returns an error, and [Registry.AddResources] refuses it.
//
// https://modelcontextprotocol.io/specification/draft/server/resources
type Resource struct {
	runner    *Tool // runs the func with its limits, like a tool; its name is the URI
	name      string
	uri       *uritemplate.Template
	mimeType  string
	size      *int64
	notes     *Annotations
	verbatim  bool
	texts     textArguments
	schema    *reflectschema.Schema // schema of the variables after parsing
	completer *Tool                 // nil if no variable can be completed
	lister    *Tool                 // nil without ListWith
	mistakes  []Mistake             // of a Resource from [Files], reported by the registry
}

// ErrResourceNotFound is the error of a func of a [Resource] for a URI that matches its template but names no resource.
// Return it, or an error that wraps it. The client gets the error "resource not found" of its protocol revision.
var ErrResourceNotFound = errors.New("resource not found")

// errNoResource is the error of a Resource that is nil or zero.
var errNoResource = errors.New("mcptool: the resource is empty; make one with NewResource")

// Name returns the name of the resource.
func (r *Resource) Name() string { return r.name }

// Title returns the display name; "" means unset.
func (r *Resource) Title() string { return r.runner.title }

// Description returns the description; "" means unset.
func (r *Resource) Description() string { return r.runner.description }

// URI returns the URI, or the URI template if [Resource.IsTemplate].
func (r *Resource) URI() string { return r.uri.String() }

// IsTemplate reports whether the URI has variables.
func (r *Resource) IsTemplate() bool { return !r.uri.IsLiteral() }

// Matches reports whether a client reads this resource by the URI.
func (r *Resource) Matches(uri string) bool {
	_, ok := r.uri.Match(uri)
	return ok
}

// Expand returns the URI with these values of the variables, by name, which need not be encoded. Use it for links to
// the resource instead of encoding values by hand. An absent variable of the query is left out. The error lists the
// variables that are missing or have a value that is not allowed, such as "..".
func (r *Resource) Expand(variables map[string]string) (string, error) {
	return r.uri.Expand(variables)
}

// MIMEType returns the media type of the contents; "" means unset.
func (r *Resource) MIMEType() string { return r.mimeType }

// Size returns the size of the contents in bytes; nil means unset.
func (r *Resource) Size() *int64 { return clone(r.size) }

// Annotations returns the hints about the resource; nil if there are none.
func (r *Resource) Annotations() *Annotations {
	if r.notes == nil {
		return nil
	}
	notes := *r.notes
	notes.Audience, notes.Priority = append([]string(nil), notes.Audience...), clone(notes.Priority)
	return &notes
}

// Icons returns a copy of the resource's icons; nil if there are none.
func (r *Resource) Icons() []Icon { return r.runner.Icons() }

// Meta returns a copy of the resource's _meta, as [Tool.Meta] does.
func (r *Resource) Meta() map[string]any { return r.runner.Meta() }

// Scopes returns a copy of the scopes that a caller needs, sorted; nil if there are none.
func (r *Resource) Scopes() []string { return r.runner.Scopes() }

// VisibleTo reports whether the resource exists for the caller of a request, as far as [VisibleIf] is concerned. The
// condition gets info without Tool and Prompt. If info.Resource is "", the condition gets the URI or template of this
// resource; otherwise info.Resource must be the URI that the request names.
func (r *Resource) VisibleTo(info CallInfo) bool { return r.runner.VisibleTo(info) }

// Read reads the resource without a server. It is for tests and for adapters to other protocols. The error is
// [ErrResourceNotFound] if the URI does not match or its resource does not exist, an [*ArgumentError] if a variable
// does not fit, and otherwise as for [Tool.Call].
func (r *Resource) Read(ctx context.Context, uri string) ([]ResourceContents, error) {
	if r.isEmpty() {
		return nil, errNoResource
	}
	variables, ok := r.variables(nil, uri)
	if !ok {
		return nil, ErrResourceNotFound
	}
	call := callctx.Of(ctx)
	call.URI, _ = uritemplate.Normalize(uri)
	res, err := r.runner.Call(&callctx.Context{Context: ctx, Call: call}, variables) //nolint:contextcheck // derived from ctx
	if err != nil {
		return nil, err
	}
	value, _ := res.Structured.(json.RawMessage)
	return internals{}.ResourceContents(r, uri, value, res), nil
}

// variables appends the variables of a URI as a JSON object, the arguments of the runner, and reports whether the URI
// matches.
func (r *Resource) variables(dst []byte, uri string) (args []byte, ok bool) {
	values, ok := r.uri.Match(uri)
	if !ok {
		return dst, false
	}
	dst = append(dst, '{')
	for _, v := range values {
		dst = r.texts.append(dst, v.Name, v.Text)
	}
	return append(dst, '}'), true
}

// Complete suggests values for a variable without a server; others are the other variables, as far as they are known.
func (r *Resource) Complete(ctx context.Context, variable, prefix string, others map[string]string) (Completion, error) {
	if r.isEmpty() {
		return Completion{}, errNoResource
	}
	return r.completer.complete(ctx, variable, prefix, others)
}

func (r *Resource) key() string {
	if r.uri == nil {
		return ""
	}
	return r.uri.String()
}

func (r *Resource) isEmpty() bool     { return r == nil || r.runner.isEmpty() }
func (r *Resource) definedAt() string { return r.runner.location.String() }
func (*Resource) itemKind() itemKind  { return kindResource }
