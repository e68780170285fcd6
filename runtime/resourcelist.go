package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// lister lists the resources under a template, see [mcptool.ListWith].
type lister struct {
	index  int // of the template in its list
	tool   *mcptool.Tool
	limits *toolLimits // nil if it has none
}

// listing is one request for resources/list with listers. The list consists of the resources without variables, and
// then the resources of the listers. The position in it is only in the cursors.
type listing struct {
	fixed   *list
	seen    view // of fixed
	start   int  // index in fixed of the first resource of the page
	listers []lister
	from    wire.ListedCursor // position in the resources of the first lister
}

// maxListerPages is the maximum number of pages of listers that are joined into one page: a page may be empty, and have
// a next one.
const maxListerPages = 100

// lookUpListers turns a request for resources/list into a call that runs listers, if the caller may see any.
func (r *request) lookUpListers() *wireError {
	cat := r.from.resourceCatalog()
	if len(cat.listers) == 0 {
		return nil
	}
	l := &listing{fixed: &cat.fixed.list}
	if cursor := r.params.Cursor; cursor != nil {
		var isListed bool
		if l.from, isListed = wire.ReadListedCursor(cursor); isListed {
			l.start = len(l.fixed.runners)
		} else if after, ok := wire.ReadCursor(cursor); ok {
			l.start = l.fixed.after(after)
		} else {
			return errBadCursor
		}
	}
	seen := r.view(&cat.templates.list)
	for _, lister := range cat.listers {
		if lister.tool.Name() >= l.from.Template && seen.shows(lister.index) {
			l.listers = append(l.listers, lister)
		}
	}
	if len(l.listers) == 0 {
		return nil
	}
	if l.listers[0].tool.Name() != l.from.Template { // its template was removed
		l.from = wire.ListedCursor{}
	}
	l.seen = r.view(l.fixed)
	r.target = &toolState{row: r.method, pace: cat.listPace, limits: l.limits(), render: l.append}
	return nil
}

// limits returns the limits of the whole request: its timeout is the sum of the timeouts of the listers; nil if one of
// them has none.
func (l *listing) limits() *toolLimits {
	var sum time.Duration
	for _, lister := range l.listers {
		limit := lister.limits.callTimeout()
		if limit == nil {
			return nil
		}
		sum += limit.Limit
	}
	return &toolLimits{timeout: &mcptool.TimeoutError{Limit: sum}}
}

// append runs the listers and appends the result of the request.
func (l *listing) append(c *call, dst []byte) (_ []byte, err error) {
	defer leaveResponse(c)
	begin := len(dst)
	if c.timeout() != nil {
		c.beginTool()
		defer func() {
			if c.endTool() && defect(err) == nil {
				err = c.timeout()
			}
		}()
	}
	dst, last, left := c.from.appendItems(l.fixed.open(dst), l.fixed, &l.seen, l.start, form{version: c.version})
	var next string
	if last != "" {
		next = wire.WriteCursor(last)
	} else if dst, next, err = l.appendLinks(c, dst, left); err != nil {
		return dst[:begin], err
	}
	return checkSize(c, c.from.appendTailAt(dst, l.fixed, next, c.version), begin)
}

// appendLinks appends at most left links of the listers, and returns the cursor of the next page; "" if there is none.
func (l *listing) appendLinks(c *call, dst []byte, left int) (_ []byte, next string, err error) {
	at, pages := l.from, 0
	for _, lister := range l.listers {
		at.Template = lister.tool.Name()
		if left == 0 || pages == maxListerPages {
			return dst, at.Write(), nil
		}
		if err := lister.takeRate(c); err != nil {
			return dst, "", err
		}
		ctx, cancel := lister.bound(c)
		for more := true; more; {
			if left == 0 || pages == maxListerPages {
				cancel()
				return dst, at.Write(), nil
			}
			pages++
			var n int
			if dst, n, more, err = lister.appendPage(ctx, c, dst, &at, left); err != nil {
				cancel()
				return dst, "", err
			}
			left -= n
		}
		cancel()
		at = wire.ListedCursor{}
	}
	return dst, "", nil
}

// takeRate refuses a request that runs the lister more often than the rate limit of its resource allows. All pages of a
// lister in one request count once; reads of the resource count separately.
func (l *lister) takeRate(c *call) error {
	if l.limits == nil || l.limits.rate == nil {
		return nil
	}
	if wait := l.limits.rate.Take(c.from.rateKey(c.access), time.Now()); wait > 0 {
		rate, _ := l.tool.RateLimit()
		return mcptool.Errorf("too many requests: resources under %s may be listed %s by one caller; list again in %s",
			l.tool.Name(), frequency(rate), wholeSeconds(wait))
	}
	return nil
}

// bound returns the context for a lister, with the timeout of the resource.
func (l *lister) bound(c *call) (context.Context, context.CancelFunc) {
	limit := l.limits.callTimeout()
	if limit == nil {
		return c, func() {}
	}
	return context.WithTimeoutCause(c, limit.Limit, limit)
}

// appendPage appends at most left links of the page at a position, advances the position, and reports whether the
// lister has more.
func (l *lister) appendPage(ctx context.Context, c *call, dst []byte, at *wire.ListedCursor, left int) (_ []byte, n int, more bool, err error) {
	links, next, err := l.list(ctx, c, at.Cursor)
	if err != nil {
		return dst, 0, false, err
	}
	if i := slices.IndexFunc(links, func(link mcptool.ResourceLink) bool { return link.URI == at.After }); i >= 0 {
		links = links[i+1:] // if that link was removed, some links are sent twice, but none is missed
	}
	n = min(left, len(links))
	for i := range links[:n] {
		if !l.shows(c, links[i].URI) {
			continue
		}
		if err := enterResponse(c, len(dst)); err != nil { //nolint:contextcheck // ctx belongs to the lister
			return dst, 0, false, err
		}
		dst = wire.AppendLink(rawjson.AppendComma(dst), &links[i], c.version, c.from.redactor)
	}
	if n < len(links) {
		at.After = links[n-1].URI
		return dst, n, true, nil
	}
	if next != "" && next == at.Cursor {
		return dst, 0, false, &mcptool.OutputError{Tool: l.tool.Name(), Err: errors.New("ListWith: the cursor of the next page is that of the same page")}
	}
	at.Cursor, at.After = next, ""
	return dst, n, next != "", nil
}

// list runs the lister.
func (l *lister) list(ctx context.Context, c *call, cursor string) (page []mcptool.ResourceLink, next string, err error) {
	leaveResponse(c)                                                    // the lister may wait
	if err := l.limits.acquire(c, resourceSubject.noun()); err != nil { //nolint:contextcheck // the call waits
		return nil, "", err
	}
	defer l.limits.release(c)
	args := []byte{'{'}
	if cursor != "" {
		args = wire.AppendText(args, "cursor", cursor)
	}
	_, rest, err := internals.Call(ctx, l.tool, append(args, '}'), nil)
	switch limit, isLimit := errors.AsType[*mcptool.TimeoutError](context.Cause(ctx)); {
	case isLimit && limit == l.limits.callTimeout() && ctx.Err() != nil && defect(err) == nil:
		return nil, "", mcptool.Errorf("listing %s took longer than its limit of %s", l.tool.Name(), limit.Limit)
	case err != nil:
		return nil, "", fmt.Errorf("listing %s: %w", l.tool.Name(), err)
	}
	page, next = internals.ResourcePage(rest)
	return page, next, nil
}

// shows reports whether a resource under the template of the lister meets the condition of the template for the caller,
// see [mcptool.VisibleIf].
func (l *lister) shows(c *call, uri string) bool {
	if !l.tool.HasVisibleIf() {
		return true
	}
	info := c.CallInfo()
	info.RequestID, info.Resource = "", uri
	return l.tool.VisibleTo(info)
}
