package mcptool

import (
	"cmp"
	"context"
	"fmt"
)

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
