package runtime

import (
	"context"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// list is the items of one kind at one time, in the order of their names, with their rendered pages. It is safe for
// concurrent use.
type list struct {
	kind    subjectKind     // of the items
	member  string          // of the result
	runners []*mcptool.Tool // the tools, or the runners of prompts and resources
	scopes  [][]string      // of each
	entries entries
	pages   sync.Map // pageKey -> *page

	extensions []*mcptool.ClientExtension // that add members to entries, without duplicates
	mu         sync.Mutex
	kept       map[string]bool // the sets of extensions with cached pages; guarded by mu

	conditional bool // at least one item has a condition: see [mcptool.VisibleIf]
	private     bool // not all callers get the same list
}

// entries appends the entries of a list.
type entries interface {
	// appendItem appends the entry of the item with this index, in this form.
	appendItem(dst []byte, i int, f form) []byte
	// expectedSize returns the approximate size of that entry in bytes.
	expectedSize(i int) int
}

// form is what the entries of a list depend on, in addition to the items.
type form struct {
	version    wire.Version
	extensions string // the extensions of the list that the client supports, see formFor
}

// init initializes the list with these items, whose names are the names of their runners.
func (l *list) init(kind subjectKind, member string, runners []*mcptool.Tool, rendered entries) {
	l.kind, l.member, l.runners, l.entries = kind, member, runners, rendered
	l.conditional = slices.ContainsFunc(runners, (*mcptool.Tool).HasVisibleIf)
	l.private = l.conditional
	for _, t := range runners {
		scopes := t.Scopes()
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
	seen, f := r.view(l), formFor(r, l)
	if seen.isAll() {
		page := r.from.page(l, start, f).text
		return r.replyLong(len(page), func(dst []byte) []byte { return append(dst, page...) })
	}
	size := len(r.from.page(l, 0, f).text) // approximate
	return r.replyLong(size, func(dst []byte) []byte { return r.from.appendVisible(dst, l, &seen, start, f) })
}

// formFor returns the form of a list for the client of the request.
func formFor(r *request, l *list) form {
	f := form{version: r.version}
	if len(l.extensions) == 0 || !r.version.Has(wire.InnerMeta) {
		return f
	}
	declared, supported := r.capabilities(), make([]byte, len(l.extensions))
	for i, e := range l.extensions {
		supported[i] = '0'
		if e.SupportedBy(declared) {
			supported[i] = '1'
		}
	}
	if f.extensions = string(supported); strings.Trim(f.extensions, "0") == "" {
		f.extensions = ""
	}
	return f
}

// supports reports whether the client supports an extension of the list.
func (f form) supports(l *list, e *mcptool.ClientExtension) bool {
	i := slices.Index(l.extensions, e)
	return f.extensions != "" && i >= 0 && f.extensions[i] == '1'
}

// pageKey identifies a page by the index of its first item.
type pageKey struct {
	form
	start int
}

// page is a rendered page of all items, as a complete result object.
type page struct {
	text  []byte
	begin int   // offset of the first item in text
	ends  []int // ends of the items in text, in order
}

// item returns the entry of the item with index i on the page.
func (p *page) item(i int) []byte {
	begin := p.begin
	if i > 0 {
		begin = p.ends[i-1] + len(",")
	}
	return p.text[begin:p.ends[i]]
}

// page returns the page of the items from index start on. It caches only pages that follow from the first one, because
// a client can invent a cursor.
func (c *core) page(l *list, start int, f form) *page {
	key := pageKey{f, start}
	if kept, ok := l.pages.Load(key); ok {
		p, _ := kept.(*page)
		return p
	}
	p := c.renderPage(l, start, f)
	if start%c.limits.ToolsPerPage == 0 && l.keeps(f) {
		l.pages.Store(key, p)
	}
	return p
}

// maxKeptSets is the maximum number of sets of extensions with cached pages. Clients choose the sets, but few are
// common.
const maxKeptSets = 16

// keeps reports whether pages of this form are cached.
func (l *list) keeps(f form) bool {
	if f.extensions == "" {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.kept[f.extensions] && len(l.kept) < maxKeptSets {
		if l.kept == nil {
			l.kept = map[string]bool{}
		}
		l.kept[f.extensions] = true
	}
	return l.kept[f.extensions]
}

// restOfPage is the room in a page in addition to the texts of its items, in bytes. It is enough for most pages, so
// that they need not be copied to grow.
const restOfPage = 1 << 10

// restOfItem is the room for an item in addition to its texts and schemas, in bytes.
const restOfItem = 1 << 7

// renderPage renders the page that begins with the item at start.
func (c *core) renderPage(l *list, start int, f form) *page {
	end := min(start+c.limits.ToolsPerPage, len(l.runners))
	size := restOfPage
	for i := start; i < end; i++ {
		size += l.entries.expectedSize(i)
	}
	p := &page{text: l.open(make([]byte, 0, size)), ends: make([]int, 0, end-start)}
	p.begin = len(p.text)
	for i := start; i < end; i++ {
		p.text = l.entries.appendItem(rawjson.AppendComma(p.text), i, f)
		p.ends = append(p.ends, len(p.text))
	}
	last := ""
	if end < len(l.runners) {
		last = l.runners[end-1].Name()
	}
	p.text = c.appendPageTail(p.text, l, last, f.version)
	return p
}

// open appends the beginning of a page.
func (l *list) open(dst []byte) []byte {
	return append(rawjson.AppendName(append(dst, '{'), l.member), '[')
}

// appendVisible appends the page of the items from index start on that the caller may see. It copies them from the
// pages of all items, so that the memory of the cache does not depend on how many sets of scopes clients have.
func (c *core) appendVisible(dst []byte, l *list, seen *view, start int, f form) []byte {
	dst, last, _ := c.appendItems(l.open(dst), l, seen, start, f)
	return c.appendPageTail(dst, l, last, f.version)
}

// appendItems appends the items of that page, without the end of the page. If last is not "", more visible items follow
// the item with that name. Left is how many more items fit on the page.
func (c *core) appendItems(dst []byte, l *list, seen *view, start int, f form) (_ []byte, last string, left int) {
	var from *page
	first := -1
	left = c.limits.ToolsPerPage
	for i := start; i < len(l.runners); i++ {
		if !seen.shows(i) {
			continue
		}
		if left == 0 {
			return dst, last, 0
		}
		if begin := i - i%c.limits.ToolsPerPage; begin != first {
			first, from = begin, c.page(l, begin, f)
		}
		dst = append(rawjson.AppendComma(dst), from.item(i-first)...)
		last = l.runners[i].Name()
		left--
	}
	return dst, "", left
}

// appendPageTail appends the end of a page. If last is not "", more items follow the item with that name.
func (c *core) appendPageTail(dst []byte, l *list, last string, v wire.Version) []byte {
	if last != "" {
		last = wire.WriteCursor(last)
	}
	return c.appendTailAt(dst, l, last, v)
}

// appendTailAt is appendPageTail with the cursor of the next page; "" if there is none.
func (c *core) appendTailAt(dst []byte, l *list, next string, v wire.Version) []byte {
	dst = wire.AppendOptional(append(dst, ']'), "nextCursor", next)
	return c.appendResultTail(c.appendCacheHint(dst, l, v), v, nil)
}

// after returns the index of the first item whose name comes after name.
func (l *list) after(name string) int {
	i, found := slices.BinarySearchFunc(l.runners, name, func(t *mcptool.Tool, name string) int {
		return strings.Compare(t.Name(), name)
	})
	if found {
		i++
	}
	return i
}

// appendCacheHint appends the caching hint of a list.
func (c *core) appendCacheHint(dst []byte, l *list, v wire.Version) []byte {
	hint := c.cacheHint
	hint.Public = hint.Public && !l.private
	return hint.append(dst, v)
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
	limits := limitsOf(ctx)
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

// limitsOf returns the limits of the server that answers the request in ctx; without a server the default limits.
func limitsOf(ctx context.Context) *limits {
	if c := callOf(ctx); c != nil {
		return &c.from.limits
	}
	return &limits{Limits{}.Resolved(), defaultFixedLimits}
}
