package mcptool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// Resource is something that clients can read by its URI, or, if its URI has variables, a template of such URIs. Make one
// with [NewResource] or [Files]. A Resource is immutable and safe for concurrent use. The zero value is not usable:
// [Resource.Read] returns an error, and [Registry.Add] refuses it.
//
// https://modelcontextprotocol.io/specification/draft/server/resources
type Resource struct {
	runner   *Tool // runs the func with its limits, like a tool; its name is the URI
	name     string
	uri      *uritemplate.Template
	mimeType string
	size     *int64
	notes    *Annotations
	texts    textArguments
	mistakes []Mistake // of a Resource from [Files], reported by the registry
}

// ErrResourceNotFound is the error of a func of a [Resource] for a URI that matches its template but names no resource.
// Return it, or an error that wraps it. The client gets the error "resource not found" of its protocol revision.
var ErrResourceNotFound = errors.New("resource not found")

// errNoResource is the error of a Resource that is nil or zero.
var errNoResource = errors.New("mcptool: the resource is empty; make one with NewResource")

// Info returns the resource's name, texts, icons, _meta and scopes.
func (r *Resource) Info() Info {
	if r.isEmpty() {
		return Info{}
	}
	info := r.runner.Info()
	info.Name = r.name
	return info
}

// URI returns the URI, or the URI template.
func (r *Resource) URI() string { return r.key() }

// Link returns a link to the resource, for the result of a tool or a prompt: its URI and all that the list of resources
// contains. For a template, set the URI to that of a resource, see [Resource.Expand]. The link is a copy.
func (r *Resource) Link() ResourceLink {
	info := r.Info()
	link := ResourceLink{
		URI: r.URI(), Name: info.Name, Title: info.Title, Description: info.Description, MIMEType: r.mimeType, Size: clone(r.size),
		Icons: info.Icons, Meta: info.Meta,
	}
	if r.notes != nil {
		notes := *r.notes
		notes.Audience, notes.Priority = slices.Clone(notes.Audience), clone(notes.Priority)
		link.Annotations = &notes
	}
	return link
}

// Expand returns the URI that the template makes of values, in normal form: for [Registry.ResourceUpdated] and links to the
// resource. The values have the names of the variables and are not encoded. An absent variable of a query is left out; the
// URI of a resource without variables needs none.
//
// The error lists all variables without a value, values with which [Resource.Read] would not read the resource of these
// values (empty ones, "..", "/" in {id}), and names of no variable. Whether a value fits the field of the variable is not
// checked.
func (r *Resource) Expand(variables map[string]string) (string, error) {
	if r.isEmpty() {
		return "", errNoResource
	}
	uri, err := r.uri.Expand(variables)
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		if !slices.ContainsFunc(r.uri.Variables(), func(v uritemplate.Variable) bool { return v.Name == name }) {
			err = errors.Join(err, fmt.Errorf("there is no variable %s", name))
		}
	}
	if err != nil {
		return "", fmt.Errorf("mcptool: %s: %w", r.key(), err)
	}
	return uri, nil
}

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
	return r.contents(uri, value, res), nil
}

// contents returns the contents that were read by a URI, checked and ready to be sent: the contents that the func returned,
// or its result as JSON. Value and rest are the results of the runner.
func (r *Resource) contents(uri string, value []byte, rest *Result) []ResourceContents {
	list := slices.Clone(renderedIn(rest).contents)
	if len(value) > 0 {
		list = []ResourceContents{{Text: string(value), MIMEType: r.mimeType}}
	}
	for i := range list {
		list[i].URI = cmp.Or(list[i].URI, uri)
	}
	return list
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

func (r *Resource) key() string {
	if r.uri == nil {
		return ""
	}
	return r.uri.String()
}

func (r *Resource) isEmpty() bool     { return r == nil || r.runner.isEmpty() }
func (r *Resource) definedAt() string { return r.runner.location.String() }
func (*Resource) itemKind() itemKind  { return kindResource }

// listed implements [item]. What the func of a [ListWith] lists is unknown.
func (r *Resource) listed() []any {
	if listed := r.runner.listed(); listed != nil && r.runner.settings.Lister == nil {
		return append(listed, r.name, r.mimeType, r.size, r.notes)
	}
	return nil
}

// finishLinks checks the links of a page and returns copies that can be sent.
func (r *Resource) finishLinks(links []ResourceLink) ([]ResourceLink, error) {
	var fs findings
	done := make([]ResourceLink, 0, len(links))
	each(&fs, "links", links, func(link ResourceLink) {
		if _, ok := r.uri.Match(link.URI); !ok {
			fs.add("uri", fmt.Sprintf("%q does not match the template %s", link.URI, r.key()), "list only what clients can read")
		}
		link.MIMEType = cmp.Or(link.MIMEType, r.mimeType)
		if finished, ok := link.finish(&fs).(ResourceLink); ok {
			done = append(done, finished)
		}
	})
	return done, fs.outputError(r.key())
}

// listFunc lists the resources under a template: see [ListWith].
type listFunc func(ctx context.Context, cursor string) (page []ResourceLink, next string, err error)

// tool returns the tool that lists pages; nil if fn is nil. Its only argument is the cursor.
func (fn listFunc) tool(runner *Tool, r *Resource) *Tool {
	if fn == nil || r.uri == nil {
		return nil
	}
	t := *runner
	t.settings.AuditArguments = false
	t.invoke = func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		var params struct {
			Cursor string `json:"cursor"`
		}
		if err := schemas.UnmarshalLenient(args, &params); err != nil {
			return dst, nil, &ArgumentError{Tool: r.key(), Err: err}
		}
		links, next, err := fn(ctx, params.Cursor)
		if err != nil {
			return dst, nil, authorError(err)
		}
		if links, err = r.finishLinks(links); err != nil {
			return dst, nil, err
		}
		rest, err := rendered{Links: links, Next: next}.result()
		return dst, rest, err
	}
	return &t
}
