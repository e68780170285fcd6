package mcptool

import (
	"context"
	"fmt"

	"github.com/mcptool-go/mcptool/reflectschema"
)

// listFunc lists the resources under a template: see [ListWith].
type listFunc func(ctx context.Context, cursor string) (page []ResourceLink, next string, err error)

// ListWith sets the func that lists the resources under a URI template, for resources/list. It returns one page: the
// cursor is "" for the first page, and for each further page the next of the previous page; a next of "" means that
// this page is the last. The func defines its cursors, and clients may send any text as one: return an error for a
// cursor that is not valid. Each link needs a Name and a URI that the template matches. MIMEType defaults to the MIME
// type of the template.
//
// The func runs within the [Timeout] of the resource. If it returns an error, the whole list fails, so that a client
// does not take a part for everything. By default clients see only the template.
func ListWith(fn func(ctx context.Context, cursor string) (page []ResourceLink, next string, err error)) Option {
	return option(func(d *definition) {
		switch {
		case fn == nil:
			d.mistake("the func of the option ListWith is nil", "leave the option out")
		case d.lister != nil:
			d.mistake("the option ListWith is given twice", "pass one func")
		}
		d.lister = fn
	})
}

// tool returns the tool that lists pages; nil if fn is nil. Its only argument is the cursor.
func (fn listFunc) tool(runner *Tool, r *Resource) *Tool {
	if fn == nil || r.uri == nil {
		return nil
	}
	t := *runner
	t.auditArguments = false
	t.invoke = func(ctx context.Context, args, dst []byte) ([]byte, *Result, error) {
		params, err := reflectschema.UnmarshalLenient[listParams](args)
		if err != nil {
			return dst, nil, &ArgumentError{Tool: r.key(), Err: err}
		}
		links, next, err := fn(ctx, params.Cursor)
		if err != nil {
			return dst, nil, authorError(err)
		}
		if links, err = r.finishLinks(links); err != nil {
			return dst, nil, err
		}
		rest, err := rendered{links: links, next: next}.result()
		return dst, rest, err
	}
	return &t
}

// listParams are the arguments of the tool that lists pages.
type listParams struct {
	Cursor string `json:"cursor"`
}

// finishLinks checks the links of a page and returns copies that can be sent.
func (r *Resource) finishLinks(links []ResourceLink) ([]ResourceLink, error) {
	var fs findings
	done := make([]ResourceLink, 0, len(links))
	fs.within("links", func() {
		for i, link := range links {
			fs.at(i, func() {
				if !r.Matches(link.URI) {
					fs.add("uri", fmt.Sprintf("%q does not match the template %s", link.URI, r.key()), "list only what clients can read")
				}
				if link.MIMEType == "" {
					link.MIMEType = r.mimeType
				}
				if finished, ok := link.finish(&fs).(ResourceLink); ok {
					done = append(done, finished)
				}
			})
		}
	})
	if err := fs.err(); err != nil {
		return nil, &OutputError{Tool: r.key(), Err: err}
	}
	return done, nil
}

// List returns a page of the resources under a template, without a server: see [ListWith]. Without that option the page
// is empty.
func (r *Resource) List(ctx context.Context, cursor string) (page []ResourceLink, next string, err error) {
	if r.isEmpty() {
		return nil, "", errNoResource
	}
	if r.lister == nil {
		return nil, "", nil
	}
	args, err := reflectschema.AppendValue(nil, listParams{Cursor: cursor})
	if err != nil {
		return nil, "", err
	}
	res, err := r.lister.Call(ctx, args)
	if err != nil {
		return nil, "", err
	}
	held := renderedIn(res)
	return held.links, held.next, nil
}
