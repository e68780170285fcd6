package mcptool

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcptool-go/mcptool/internal/callsite"
	"github.com/mcptool-go/mcptool/internal/uritemplate"
)

// RegisterResource defines a resource from a func, as [NewResource] does, and adds it to [Default]. Like [Register] it
// panics with a [*RegisterError] that lists every mistake.
func RegisterResource[In, Out any](fn func(context.Context, In) (Out, error), opts ...ResourceOption) {
	location := callerLocation()
	resource, mistakes := defineResource(erase(fn), opts, location)
	mustAdd(location, resource, mistakes)
}

// NewResource defines a resource from a func. Its URI is in the mcp:"…" tag of a blank field of In, or in the option
// [URI]:
//
//	type OrderIn struct {
//		_      struct{} `mcp:"uri=orders://{id}{?expand},mimeType=application/json" doc:"One order"`
//		ID     int64    `json:"id" jsonschema:"minimum=1"`
//		Expand bool     `json:"expand,omitzero"`
//	}
//
//	order, err := mcptool.NewResource(ReadOrder) // func(context.Context, OrderIn) (Order, error)
//	prices, err := mcptool.NewResource(ReadPrices, mcptool.URI("prices:///today")) // func(context.Context, struct{}) (string, error)
//
// A URI with variables is a template (RFC 6570): {id} is one segment of the path, or a part of it; {+path} may contain
// slashes; {?a,b} and {&a,b} are parameters of the query, which may be absent. Each variable is a field of In, a struct or a
// pointer to one, by its JSON name; without variables In is struct{}. Variables are decoded, parsed and checked like the
// arguments of a tool. Values that would lead out of a directory (".", "..", and in {id} also "/" and "\") match no template.
// Two templates that match the same URI are a mistake, as far as sample values show it; a resource without variables takes
// precedence over templates.
//
// Out is string (text), []byte or an [io.Reader] (read to its end, within the limits of the server, and closed if it is
// an [io.Closer]), [ResourceContents] or []ResourceContents; a value of any other type is sent as JSON, checked like the result of a
// tool. Bytes are sent as text if the MIME type is a text type, and as a blob otherwise. The default of mimeType is
// text/plain for a string, application/json for JSON, and application/octet-stream for bytes.
//
// The func runs like the func of a tool: [Caller], [Logger], [Progress] and [Elicit] work. It returns
// [ErrResourceNotFound] if there is no such resource. The client gets any other error as a JSON-RPC error. A server may
// mask the text of an error that is not made by [Errorf]. [ListWith] lists the resources under a template, and [Complete]
// suggests values of variables.
//
// The error is a [*RegisterError] that lists every mistake in the URI, the signature, the types, the tags, the name and the
// options.
func NewResource[In, Out any](fn func(context.Context, In) (Out, error), opts ...ResourceOption) (*Resource, error) {
	location := callerLocation()
	resource, mistakes := defineResource(erase(fn), opts, location)
	return defined(location, resource, mistakes)
}

// URI sets the URI of a resource, or its URI template: see [NewResource]. It is absolute. Use https only for resources
// that clients can fetch without the server. In the tag it is uri=orders://{id}. By default it is unset, which is a mistake.
func URI(uri string) ResourceOption {
	return resourceOption(func(d *definition) { set(d, &d.uri, "the option URI", uri) })
}

// MIMEType sets the media type of the contents of a resource, such as "text/markdown". In the tag it is
// mimeType=text/markdown. The default depends on what the func returns: see [NewResource].
func MIMEType(mimeType string) ResourceOption {
	return resourceOption(func(d *definition) { set(d, &d.mimeType, "the option MIMEType", mimeType) })
}

// Size sets the size of a resource in bytes, before any encoding, for clients that show it. It is a mistake for a
// template. In the tag it is size=4096. By default it is unset.
func Size(bytes int64) ResourceOption {
	return resourceOption(func(d *definition) { set(d, &d.size, "the option Size", &bytes) })
}

// Audience sets the intended readers of a resource: "user", "assistant", or both. In the tag it is audience=user, or
// audience=user assistant. By default it is unset.
func Audience(roles ...Role) ResourceOption {
	sorted := slices.Sorted(slices.Values(roles))
	return resourceOption(func(d *definition) { set(d, &d.notes.Audience, "the option Audience", sorted) })
}

// Priority sets how important a resource is, from 0 (optional) to 1 (required). In the tag it is priority=0.5. By default
// it is unset.
func Priority(priority float64) ResourceOption {
	return resourceOption(func(d *definition) { set(d, &d.notes.Priority, "the option Priority", &priority) })
}

// Verbatim excludes the contents of a resource from the redaction of a server, because the client must get exactly these
// bytes, for example to compare them with a digest. The default is false.
func Verbatim(yes bool) ResourceOption {
	return resourceOption(func(d *definition) { set(d, &d.Verbatim, "the option Verbatim", yes) })
}

// defineResource builds the resource of a func, or returns the mistakes.
func defineResource(f authorFunc, opts []ResourceOption, location *callsite.Site) (*Resource, []Mistake) {
	d := definitionOf(f, kindResource, opts, ResourceOption.applyToResource)
	r := &Resource{uri: d.parseURI()}
	d.deriveName(cmp.Or(f.name, d.uri))
	d.check()
	r.mimeType, r.size = d.mimeType, d.size
	if len(d.notes.Audience) > 0 || d.notes.Priority != nil {
		r.notes = new(d.notes)
	}
	c := &codec{tool: d.uri}
	input := d.compileIn(c, f.in)
	if input != nil {
		r.texts = newTextArguments(&d.findings, kindResource, input, f.in)
		checkVariables(&d.findings, r, f.in)
	}
	c.render = r.renderer(&d.findings, f.out)
	if c.render == nil {
		d.compileOut(c, f.out)
		r.mimeType = cmp.Or(r.mimeType, mimeJSON)
	}
	completions := d.completions(c.in, f.in, r.texts)
	authorize := d.authorizer.authorizes(&d.findings, c, f.in)
	run := f.bind(c)
	if authorize != nil {
		read := run
		run = func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
			if _, _, err := authorize(ctx, args, nil); err != nil {
				return dst, nil, err
			}
			return read(ctx, args, dst)
		}
	}
	runner, mistakes := d.build(f.name, location, input, structuredPart{}, run)
	r.runner, r.name = runner, d.Name
	runner.settings.Completer, runner.settings.Lister = completions.tool(runner), d.lister.tool(runner, r)
	if authorize != nil {
		authorizer := *runner
		authorizer.invoke = authorize
		runner.settings.Authorizer = &authorizer
	}
	return r, mistakes
}

// MayRead sets the func that decides who may read the resource, for rights that depend on the data. It gets the
// variables of the URI, so In must be the In of the resource; [Caller] identifies the caller, and nil means yes.
//
//	mcptool.MayRead(func(ctx context.Context, in TicketIn) error {
//		return tickets.Check(ctx, mcptool.Caller(ctx).Tenant, in.ID) // mcptool.ErrResourceNotFound for tickets of other tenants
//	})
//
// A server calls it before each read, when a client subscribes, and before each notification of a subscription, because
// the rights may have changed: if it returns an error, the read fails with it, and the client cannot subscribe or is not
// notified. A subscription is refused with the same answer as one to a resource that does not exist, and the server logs
// the error, unless it wraps [ErrResourceNotFound].
//
// The context ends after 10 seconds for subscriptions and notifications, which belong to no call: [Logger] writes to the
// log of the server only, and requests to the client fail. Over HTTP it has the values of the request that subscribes or
// has subscribed. The func must be safe for concurrent use, and quick, since it runs for each client that has subscribed
// to the URI.
//
// By default the func of the resource decides, which is not called for subscriptions and notifications. Then clients can
// subscribe to every URI of the template, and learn when it is updated.
func MayRead[In any](fn func(ctx context.Context, in In) error) ResourceOption {
	f := erase(func(ctx context.Context, in In) (struct{}, error) { return struct{}{}, fn(ctx, in) })
	f.isNil = fn == nil
	return resourceOption(func(d *definition) {
		switch {
		case fn == nil:
			d.mistake("the func of the option MayRead is nil", "leave the option out")
		case d.authorizer != nil:
			d.mistake("the option MayRead is given twice", "combine the checks in one func")
		}
		d.authorizer = &f
	})
}

// authorizes returns the func of the option [MayRead] for a resource whose arguments c decodes, nil if there is none, and
// notes a mistake in it.
func (f *authorFunc) authorizes(fs *findings, c *codec, in reflect.Type) invoke {
	switch {
	case f == nil || f.isNil:
		return nil
	case deref(f.in) != deref(in):
		fs.add("", fmt.Sprintf("the func of the option MayRead takes %s, and the resource has %s", f.in, in), "take "+in.String())
		return nil
	}
	return f.bind(&codec{tool: c.tool, in: c.in, render: func(context.Context, reflect.Value) (*Result, error) { return nil, nil }}) //nolint:nilnil // no result
}

// checkVariables notes variables without a field, and fields without a variable.
func checkVariables(fs *findings, r *Resource, in reflect.Type) {
	if r.uri == nil {
		return
	}
	variables := r.uri.Variables()
	for _, v := range variables {
		if r.texts.find(v.Name) == nil {
			fs.typeMistake(in, "", fmt.Sprintf("the variable %s of the URI has no field", v.Name), fmt.Sprintf("add a field with `json:%q`", v.Name))
		}
	}
	for _, a := range r.texts {
		if !slices.ContainsFunc(variables, func(v uritemplate.Variable) bool { return v.Name == a.Name }) {
			fs.typeMistake(in, a.Name, "the field is not a variable of the URI "+r.key(), fmt.Sprintf("write {%s} or {?%s} in the URI, or remove the field", a.Name, a.Name))
		}
	}
}

// ListWith sets the func that lists the resources under a URI template, for resources/list. It returns one page: the
// cursor is "" for the first page, and for each further page the next of the previous page; a next of "" means that
// this page is the last. The func defines its cursors, and clients may send any text as one: return an error for a
// cursor that is not valid. Each link needs a Name and a URI that the template matches. MIMEType defaults to the MIME
// type of the template. Clients get a page as a whole. A page for the client begins with resources without variables, and
// may have pages of several templates: the last page of one template is followed by the next template, until it is full
// (ToolsPerPage of [github.com/mcptool-go/mcptool/runtime.Limits]).
//
// The func runs within the [Timeout], [RateLimit] and [Concurrent] of the resource, which count pages apart from reads. If
// it fails or runs too long, that is logged, and the page has the resources of the others; its _meta has the member
// io.github.mcptool-go/failedTemplates, an array of objects with the template as uriTemplate and the error text as message.
// The request fails if nothing can be listed. By default clients see only the template.
func ListWith(fn func(ctx context.Context, cursor string) (page []ResourceLink, next string, err error)) ResourceOption {
	return resourceOption(func(d *definition) {
		switch {
		case fn == nil:
			d.mistake("the func of the option ListWith is nil", "leave the option out")
		case d.lister != nil:
			d.mistake("the option ListWith is given twice", "pass one func")
		}
		d.lister = fn
	})
}
