package runtime

import (
	"bytes"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// list is the items of one kind at one time, in the order of their names, with their rendered entries. It is safe for
// concurrent use.
type list struct {
	kind       subjectKind                            // of the items
	member     string                                 // of the result
	runners    []*mcptool.Tool                        // the tools, or the runners of prompts and resources
	scopes     [][]string                             // of each
	unlisted   []bool                                 // of each: see [Extension.Unlisted]
	appendItem func(dst []byte, i int, f form) []byte // appends the entry of the item with this index, in this form
	extensions []*mcptool.ClientExtension             // that add members to entries, without duplicates

	mu       sync.Mutex
	rendered map[form][][]byte // the entries of all items; guarded by mu

	conditional bool // at least one item has a condition: see [mcptool.VisibleIf]
	private     bool // not all callers get the same list
}

// form is what the entries of a list depend on, in addition to the items.
type form struct {
	version    wire.Version
	extensions uint64 // a bit for each of the first 64 extensions of the list, set if the client supports it
}

// init initializes the list with these items, whose names are the names of their runners.
func (l *list) init(kind subjectKind, member string, runners []*mcptool.Tool, appendItem func(dst []byte, i int, f form) []byte) {
	l.kind, l.member, l.runners, l.appendItem = kind, member, runners, appendItem
	l.conditional = slices.ContainsFunc(runners, func(t *mcptool.Tool) bool { return internals.Settings(t).VisibleIf != nil })
	l.private, l.unlisted = l.conditional, make([]bool, len(runners))
	for _, t := range runners {
		scopes := internals.Settings(t).Scopes
		l.scopes, l.private = append(l.scopes, scopes), l.private || scopes != nil
	}
}

// replyList answers with a page of the items that the caller may see.
func replyList(r *request, l *list) *wireError {
	start := 0
	if cursor := r.params.Cursor; cursor != nil {
		after, ok := wire.ReadCursor(cursor)
		switch _, isListed := wire.ReadListedCursor(cursor); {
		case ok:
			start = l.after(after)
		case isListed && l.member == "resources": // no resources are listed any more
			start = len(l.runners)
		default:
			return errBadCursor
		}
	}
	seen := newView(r, l)
	entries, next := seen.page(start, formFor(r, l))
	size := 0
	for _, entry := range entries {
		size += len(entry) + len(",")
	}
	return r.replyLong(size, func(dst []byte) []byte {
		return l.endPage(l.beginPage(dst, entries), r.from, next, r.version)
	})
}

// formFor returns the form of a list for the client of the request.
func formFor(r *request, l *list) form {
	f := form{version: r.version}
	if len(l.extensions) == 0 || !r.version.Has(wire.InnerMeta) {
		return f
	}
	declared := r.capabilities()
	for i, e := range l.extensions {
		if internals.SupportedBy(e, declared) {
			f.extensions |= 1 << i
		}
	}
	return f
}

// supports reports whether the client supports an extension of the list.
func (f form) supports(l *list, e *mcptool.ClientExtension) bool {
	i := slices.Index(l.extensions, e)
	return i >= 0 && f.extensions&(1<<i) != 0
}

// maxForms is the maximum number of forms with cached entries. Clients choose the sets of extensions, but few are common.
const maxForms = 32

// items returns the entries of all items in this form.
func (l *list) items(f form) [][]byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if kept := l.rendered[f]; kept != nil {
		return kept
	}
	items := make([][]byte, len(l.runners))
	var room []byte
	for i := range items {
		room = l.appendItem(room[:0], i, f)
		items[i] = bytes.Clone(room)
	}
	if l.rendered == nil {
		l.rendered = map[form][][]byte{}
	}
	if f.extensions == 0 || len(l.rendered) < maxForms {
		l.rendered[f] = items
	}
	return items
}

// beginPage appends the beginning of a page, with these entries.
func (l *list) beginPage(dst []byte, entries [][]byte) []byte {
	dst = append(rawjson.AppendName(append(dst, '{'), l.member), '[')
	for _, entry := range entries {
		dst = append(rawjson.AppendComma(dst), entry...)
	}
	return dst
}

// endPage appends the end of a page; next is the cursor of the next page, "" if there is none.
func (l *list) endPage(dst []byte, o *origin, next string, v wire.Version) []byte {
	dst = wire.AppendOptional(append(dst, ']'), "nextCursor", next)
	return o.serverInfo.AppendTail(l.appendCacheHint(dst, o, v), wire.Complete, v, nil)
}

// appendCacheHint appends the caching hint of the list, which is private if the requests of its origin can select.
func (l *list) appendCacheHint(dst []byte, o *origin, v wire.Version) []byte {
	hint := o.cacheHint
	hint.Public = hint.Public && !l.private && o.selected.Load() == nil
	return hint.append(dst, v)
}

// after returns the index of the first item whose name comes after name.
func (l *list) after(name string) int {
	i, found := slices.BinarySearchFunc(l.runners, name, func(t *mcptool.Tool, name string) int {
		return strings.Compare(internals.Settings(t).Name, name)
	})
	if found {
		i++
	}
	return i
}

// Page returns one page of a list, for the answer of a [Method] that has pages as the lists of the protocol do. The
// items must be sorted by their keys, which must be unique. Cursor is the member cursor of the params: nil for the
// first page, and otherwise the nextCursor of the previous page. Next is the cursor of the next page; "" if this one is
// the last.
//
// A page has at most [Limits.ToolsPerPage] items of the server that answers the request in ctx, or 1000 without one,
// and at most half of [Limits.MaxResultBytes], but always at least one item. A cursor refers to a key: if items are
// added or removed between two requests, no other item is skipped or sent twice.
//
// The error is an [*Error] with [CodeInvalidParams] for a cursor that Page has not returned, including "", or the error
// of encoding an item as JSON.
func Page[T any](ctx context.Context, items []T, key func(T) string, cursor *string) (page []T, next string, err error) {
	limits := Limits{}.resolved()
	if c := callOf(ctx); c != nil {
		limits = c.from.limits.Limits
	}
	if cursor != nil {
		after, ok := wire.ReadCursor(rawjson.AppendString(nil, *cursor))
		if !ok {
			return nil, "", &Error{Code: CodeInvalidParams, Message: errBadCursor.Message}
		}
		items = items[sort.Search(len(items), func(i int) bool { return key(items[i]) > after }):]
	}
	size := 0
	for i, item := range items {
		raw, err := schemas.AppendValue(ctx, nil, item, false)
		if err != nil {
			return nil, "", err
		}
		if size += len(raw); i > 0 && (i == limits.ToolsPerPage || size > limits.MaxResultBytes/2) {
			return page, wire.WriteCursor(key(items[i-1])), nil
		}
		page = append(page, item)
	}
	return page, "", nil
}

// view is the part of a list that the sender of a request may see.
type view struct {
	list   *list
	access *Access
	info   *mcptool.CallInfo // of the request; nil if no item has a condition
	ctx    context.Context   // for conditions
	from   *origin
}

// newView returns the part of a list that the sender of the request may see.
func newView(r *request, l *list) view {
	v := view{list: l, access: r.access, from: r.from}
	if l.conditional {
		v.info = r.callInfo()
		v.ctx = conditionContext(r.from.ctx, r.values, v.info, r.from.log)
	}
	return v
}

// page returns the entries of the page that begins with the item at index start, without items that the caller may not
// see, and the cursor of the next page; "" if there is none.
func (v *view) page(start int, f form) (entries [][]byte, next string) {
	items, last := v.list.items(f), 0
	for i := start; i < len(items); i++ {
		if v.list.unlisted[i] || !v.shows(i) {
			continue
		}
		if len(entries) == v.from.limits.ToolsPerPage {
			return entries, wire.WriteCursor(internals.Settings(v.list.runners[last]).Name)
		}
		entries, last = append(entries, items[i]), i
	}
	return entries, ""
}

// shows reports whether the item with this index is visible.
func (v *view) shows(i int) bool {
	if v.access != nil && !v.access.holds(v.list.scopes[i]) || !v.from.selects(v.list.runners[i]) {
		return false
	}
	return v.info == nil || v.from.conditions.hold(v.ctx, v.list.runners[i], *v.info)
}
