package runtime

import (
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// lister lists the resources under a template, see [mcptool.ListWith].
type lister struct {
	index int // of the template in its list
	tool  *mcptool.Tool
}

// listing is one request for resources/list that runs a lister. The list consists of the resources without variables,
// and then the pages of the listers. The position in it is only in the cursors. The first page of the first lister
// follows on the last page of the resources without variables, because some clients read only one page.
type listing struct {
	list    *list             // of the resources without variables
	fixed   [][]byte          // the entries of these that are on the page
	listers []lister          // the one that runs, and those after it
	from    wire.ListedCursor // the page of the first lister
}

// lookUpListers turns a request for resources/list into a call that runs a lister, if the page has resources of one that
// the caller may see.
func (r *request) lookUpListers() *wireError {
	cat := r.from.resourceCatalog()
	if len(cat.listers) == 0 {
		return nil
	}
	l, start := &listing{list: &cat.fixed.list}, 0
	if cursor := r.params.Cursor; cursor != nil {
		var isListed bool
		if l.from, isListed = wire.ReadListedCursor(cursor); isListed {
			start = len(l.list.runners)
		} else if after, ok := wire.ReadCursor(cursor); ok {
			start = l.list.after(after)
		} else {
			return errBadCursor
		}
	}
	templates := r.view(&cat.templates.list)
	for _, lister := range cat.listers {
		if internals.Settings(lister.tool).Name >= l.from.Template && templates.shows(lister.index) {
			l.listers = append(l.listers, lister)
		}
	}
	if len(l.listers) == 0 {
		return nil
	}
	var more string
	if l.fixed, more = r.page(l.list, start, form{version: r.version}); more != "" {
		return nil
	}
	tool := l.listers[0].tool
	if name := internals.Settings(tool).Name; name != l.from.Template { // the first one, or the template was removed
		l.from = wire.ListedCursor{Template: name}
	}
	r.target = &toolState{row: r.method, kind: resourceSubject, render: l.append}
	r.target.describe(tool)
	r.target.pace, r.target.limits = cat.listPace, cat.add(tool, &toolState{kind: resourceSubject}).limits
	return nil
}

// append runs the lister of the call and appends the result of the request.
func (l *listing) append(c *call, dst []byte) ([]byte, error) {
	defer leaveResponse(c)
	c.args = []byte{'{'}
	if l.from.Cursor != "" {
		c.args = wire.AppendText(c.args, "cursor", l.from.Cursor)
	}
	c.args = append(c.args, '}')
	_, rest, err := invoke(c, nil)
	switch {
	case errors.Is(err, mcptool.ErrResourceNotFound): // which is for reads
		return dst, fmt.Errorf("listing %s: %v", c.name(), err) //nolint:errorlint // listing is not reading
	case err != nil:
		return dst, fmt.Errorf("listing %s: %w", c.name(), err)
	}
	page := internals.Rendered(rest)
	next, err := l.next(page.Next)
	if err != nil {
		return dst, err
	}
	begin := len(dst)
	dst = l.list.beginPage(dst, l.fixed)
	for i := range page.Links {
		if err := makeRoom(c, len(dst)-begin); err != nil {
			return dst[:begin], err
		}
		if shows(c, page.Links[i].URI) {
			dst = wire.AppendLink(rawjson.AppendComma(dst), &page.Links[i], c.version, c.from.redactor)
		}
	}
	return checkSize(c, c.from.endPage(dst, l.list, next, c.version), begin)
}

// next returns the cursor of the page after a page of the lister; "" if there is none. Cursor is the lister's cursor of
// its next page.
func (l *listing) next(cursor string) (string, error) {
	switch {
	case cursor != "" && cursor == l.from.Cursor:
		return "", &mcptool.OutputError{Tool: l.from.Template, Err: errors.New("ListWith: the next cursor is the cursor of the current page")}
	case cursor != "":
		return wire.ListedCursor{Template: l.from.Template, Cursor: cursor}.Write(), nil
	case len(l.listers) > 1:
		return wire.ListedCursor{Template: internals.Settings(l.listers[1].tool).Name}.Write(), nil
	default:
		return "", nil
	}
}

// shows reports whether a resource under the template of the call meets the condition of the template for the caller, see
// [mcptool.VisibleIf].
func shows(c *call, uri string) bool {
	if !c.conditional {
		return true
	}
	info := c.CallInfo()
	info.RequestID, info.Resource = "", uri
	return internals.VisibleTo(c.tool, info)
}
