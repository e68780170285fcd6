package runtime

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// lister lists the resources under a template, see [mcptool.ListWith].
type lister struct {
	index int // of the template in its list
	tool  *mcptool.Tool
}

// listing is one request for resources/list that runs listers. The list consists of the resources without variables, and
// then the pages of the listers. The position in it is only in the cursors. A page ends when it is full, or after a page
// of a lister that has more. It is filled from several listers, because some clients read only one page.
type listing struct {
	catalog *resourceCatalog
	fixed   [][]byte          // the entries of resources without variables that are on the page
	listers []lister          // those that may run
	from    wire.ListedCursor // the page of the first lister
	isFirst bool              // the page is the first one of the list
}

// findListers turns a request for resources/list into a call that runs listers, if the page has resources of one that
// the caller may see.
func (ls *resourceLists) findListers(r *request) *wireError {
	cat := ls.catalog()
	if len(cat.listers) == 0 {
		return nil
	}
	l, start := &listing{catalog: cat, isFirst: r.params.Cursor == nil}, 0
	if cursor := r.params.Cursor; cursor != nil {
		var isListed bool
		if l.from, isListed = wire.ReadListedCursor(cursor); isListed {
			start = len(cat.fixed.runners)
		} else if after, ok := wire.ReadCursor(cursor); ok {
			start = cat.fixed.after(after)
		} else {
			return errBadCursor
		}
	}
	templates := newView(r, &cat.templates.list)
	for _, lister := range cat.listers {
		if lister.template() >= l.from.Template && templates.shows(lister.index) {
			l.listers = append(l.listers, lister)
		}
	}
	if len(l.listers) == 0 {
		return nil
	}
	var more string
	fixed := newView(r, &cat.fixed.list)
	if l.fixed, more = fixed.page(start, form{version: r.version}); more != "" {
		return nil
	}
	if name := l.listers[0].template(); name != l.from.Template { // the first one, or the template was removed
		l.from = wire.ListedCursor{Template: name}
	}
	r.target = &toolState{row: r.method, kind: resourceSubject, render: l.append}
	r.target.describe(l.listers[0].tool)
	r.target.pace = cat.listPace
	return nil
}

// template returns the template of the lister.
func (l lister) template() string { return internals.Settings(l.tool).Name }

// metaFailed is the member of the _meta of a page that lists the templates whose resources could not be listed.
const metaFailed = "io.github.mcptool-go/failedTemplates"

// failedLister is a lister that has failed, as an element of metaFailed.
type failedLister struct {
	Template string `json:"uriTemplate"`
	Message  string `json:"message"`

	err *listError
}

// append runs listers until the page is full, and appends the result of the request. A lister that fails is listed in
// _meta, and the others run. It is an error only if nothing can be listed.
func (l *listing) append(c *call, dst []byte) ([]byte, error) {
	defer leaveResponse(c)
	begin, n, next := len(dst), len(l.fixed), ""
	dst = l.catalog.fixed.beginPage(dst, l.fixed)
	hasListed := n > 0 || !l.isFirst && l.from.Cursor == "" // not the first page, and not a cursor that a lister has to check
	var failed []failedLister
	for i := 0; i < len(l.listers) && next == ""; i++ {
		at := l.from
		if i > 0 {
			at = wire.ListedCursor{Template: l.listers[i].template()}
		}
		if i > 0 && n >= c.from.limits.ToolsPerPage {
			next = at.Write()
			break
		}
		leaveResponse(c) // while the code of the author runs
		page := l.run(c, l.listers[i], at)
		if err := c.Err(); err != nil {
			return dst[:begin], err
		}
		most := c.from.limits.MaxResultBytes
		if n > 0 {
			most -= restOfPage
		}
		longer, err := page.append(c, dst, begin+most)
		switch {
		case err == nil:
			dst, n, next, hasListed = longer, n+len(page.links), page.next, true
		case n > 0 && as[*largeError](err) != nil: // it may fit on the next page
			next = at.Write()
		default:
			failed = append(failed, page.fail(err))
		}
	}
	if !hasListed {
		return dst[:begin], failed[0].err
	}
	return l.end(c, dst, begin, next, failed)
}

// end appends the end of a page. If listers have failed, clients must not cache it.
func (l *listing) end(c *call, dst []byte, begin int, next string, failed []failedLister) ([]byte, error) {
	dst = wire.AppendOptional(append(dst, ']'), "nextCursor", next)
	var meta []byte
	if len(failed) == 0 {
		dst = l.catalog.fixed.appendCacheHint(dst, c.from, c.version)
	} else {
		dst = CacheHint{}.append(dst, c.version)
		raw, _ := json.Marshal(failed) // cannot fail for strings
		meta = append(rawjson.AppendName(nil, metaFailed), raw...)
	}
	return checkSize(c, c.from.serverInfo.AppendTail(dst, wire.Complete, c.version, meta), begin)
}

// listedPage is the result of a lister.
type listedPage struct {
	call  *call // in which the lister has run
	links []mcptool.ResourceLink
	next  string // cursor of the page with the next page of the lister; "" if there is none
	err   error
}

// append appends the resources of the page that the caller may see. The error is a [largeError] if dst would be longer than
// end.
func (p *listedPage) append(c *call, dst []byte, end int) ([]byte, error) {
	if p.err != nil {
		return dst, p.err
	}
	begin := len(dst)
	for i := range p.links {
		if err := enterResponse(c, len(dst)); err != nil {
			return dst, err
		}
		if shows(p.call, p.links[i].URI) {
			dst = wire.AppendLink(rawjson.AppendComma(dst), &p.links[i], c.version, c.from.redactor)
		}
		if len(dst) > end {
			return dst, &largeError{size: len(dst) - begin, limit: c.from.limits.MaxResultBytes, more: true}
		}
	}
	return dst, nil
}

// fail logs that the lister has failed, except because of a rate limit, and explains it to the client.
func (p *listedPage) fail(err error) failedLister {
	e, ok := errors.AsType[*listError](err)
	if !ok {
		answer := explain(p.call, err)
		e = &listError{&answer, outcomeOf(p.call, err)}
	}
	f := failedLister{Template: p.call.target.name(), Message: e.Error(), err: e}
	if e.how != observe.OutcomeRateLimited {
		p.call.from.log.LogAttrs(p.call, slog.LevelWarn, "resources of a template are not listed", p.call.target.attr(),
			slog.String("request_id", string(p.call.id)), slog.String("reason", f.Message))
	}
	return f
}

// run runs a lister in its own call, within the limits of its resource. If it has not returned when its time is up, it
// counts as a call in flight until it returns.
func (l *listing) run(c *call, lister lister, at wire.ListedCursor) *listedPage {
	state := l.catalog.add(lister.tool, &toolState{row: c.target.row, kind: resourceSubject})
	to := &listerWriter{list: c, late: make(chan struct{})}
	own := &call{
		from: c.from, version: c.version, target: state, access: c.access, id: c.id, meta: c.meta, args: []byte{'{'},
	}
	own.out.To = to
	own.extra.Store(&callExtras{within: c, parents: &parents{ctx: c}, logLevel: c.extras().logLevel})
	if at.Cursor != "" {
		own.args = wire.AppendText(own.args, "cursor", at.Cursor)
	}
	own.args = append(own.args, '}')
	if state.limits != nil && state.limits.rate != nil {
		if e := state.limit(c.from.rateKey(c.access)); e != nil {
			return &listedPage{call: own, err: &listError{e, e.outcome}}
		}
	}
	done := make(chan *listedPage, 1)
	go func() {
		page := &listedPage{call: own, err: errGoexit}
		defer func() { done <- page }()
		page.list(at)
	}()
	select {
	case page := <-done:
		own.end(nil)
		own.release()
		return page
	case <-to.late:
	}
	_ = c.from.inFlight.Take(c.access.caller(), 1, admission.Always) // cannot fail
	go func() {
		<-done
		own.Leave()
	}()
	return &listedPage{call: own, err: own.target.timeout()}
}

// list runs the lister.
func (p *listedPage) list(at wire.ListedCursor) {
	defer leaveResponse(p.call)
	_, rest, err := invoke(p.call, nil)
	switch {
	case errors.Is(err, mcptool.ErrResourceNotFound): // which is for reads
		p.err = fmt.Errorf("listing %s: %v", at.Template, err) //nolint:errorlint // listing is not reading
		return
	case err != nil:
		p.err = fmt.Errorf("listing %s: %w", at.Template, err)
		return
	}
	page := internals.Rendered(rest)
	p.links, p.err = page.Links, nil
	switch page.Next {
	case "":
	case at.Cursor:
		p.err = &mcptool.OutputError{Tool: at.Template, Err: errors.New("ListWith: the next cursor is the cursor of the current page")}
	default:
		p.next = wire.ListedCursor{Template: at.Template, Cursor: page.Next}.Write()
	}
}

// listerWriter is the [engine.Writer] of a call that runs a lister. Its messages belong to the request for the list. Its
// response only means that its time is up.
type listerWriter struct {
	engine.NoAsk
	list *call
	late chan struct{} // closed by the response
}

// Notify implements [engine.Writer].
func (w *listerWriter) Notify(msg []byte) error { return w.list.out.Notify(msg) }

// Respond implements [engine.Writer].
func (w *listerWriter) Respond(_ []byte, end engine.End) error {
	defer end.Wrote()
	close(w.late)
	return nil
}

// shows reports whether a resource under the template of the call meets the condition of the template for the caller, see
// [mcptool.VisibleIf].
func shows(c *call, uri string) bool {
	if !c.target.conditional {
		return true
	}
	info := (*callHost)(c).CallInfo()
	info.RequestID, info.Resource = "", uri
	return c.from.conditions.hold(c, c.target.tool, info)
}
