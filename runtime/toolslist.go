package runtime

import (
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// listTools answers tools/list, with the tools in the order of their names, in pages.
func (r *request) listTools() *wireError {
	cat := r.session.catalog()
	start := 0
	if cursor := r.params.Cursor; cursor != nil {
		after, ok := wire.ReadCursor(cursor)
		if !ok {
			return errBadCursor
		}
		start = cat.after(after)
	}
	seen := cat.guards.view(r.access)
	if seen.isAll() {
		return r.replyKept(r.session.page(cat, start, r.version).text)
	}
	size := len(r.session.page(cat, 0, r.version).text) // about
	return r.replyLong(size, func(dst []byte) []byte { return r.session.appendVisible(dst, cat, &seen, start, r.version) })
}

// page is a rendered page of all tools: a complete result object.
type page struct {
	text []byte
	ends []int // of the tools in text, in order
}

// openTools is the beginning of a page.
const openTools = `{"tools":[`

// tool returns the object of the tool with index i on the page.
func (p *page) tool(i int) []byte {
	begin := len(openTools)
	if i > 0 {
		begin = p.ends[i-1] + len(",")
	}
	return p.text[begin:p.ends[i]]
}

// page returns the page of the tools from index start on. It keeps only pages that follow from the first one; a client
// that makes up a cursor may request others.
func (c *core) page(cat *catalog, start int, v wire.Version) *page {
	key := pageKey{v, start}
	if kept, ok := cat.pages.Load(key); ok {
		p, _ := kept.(*page)
		return p
	}
	p := c.renderPage(cat, start, v)
	if start%c.limits.ToolsPerPage == 0 {
		cat.pages.Store(key, p)
	}
	return p
}

// renderPage renders the page that begins with the tool at start.
func (c *core) renderPage(cat *catalog, start int, v wire.Version) *page {
	end := min(start+c.limits.ToolsPerPage, len(cat.tools))
	size := len(openTools) + restOfPage
	for _, t := range cat.tools[start:end] {
		size += expectedSize(t)
	}
	p := &page{text: append(make([]byte, 0, size), openTools...), ends: make([]int, 0, end-start)}
	for _, t := range cat.tools[start:end] {
		p.text = cat.appendEntry(jsonwrite.Comma(p.text), t, v)
		p.ends = append(p.ends, len(p.text))
	}
	last := ""
	if end < len(cat.tools) {
		last = cat.tools[end-1].Name()
	}
	p.text = c.appendPageTail(p.text, cat, last, v)
	return p
}

// appendEntry appends the entry of a tool, as lists for clients of revision v contain it.
func (cat *catalog) appendEntry(dst []byte, t *mcptool.Tool, v wire.Version) []byte {
	_, output := cat.output(t, v)
	return wire.AppendTool(dst, t, output, v)
}

// What a page takes beside the texts of its tools, in bytes: enough for most. To grow a page
// is to copy all of it.
const (
	restOfPage = 1 << 10
	restOfTool = 1 << 7
)

// expectedSize returns about how many bytes the tool takes in a page.
func expectedSize(t *mcptool.Tool) int {
	size := len(t.Name()) + len(t.Title()) + len(t.Description()) + len(t.InputSchema().JSON()) + restOfTool
	if schema := t.OutputSchema(); schema != nil {
		size += len(schema.JSON())
	}
	return size
}

// appendVisible appends the page of those tools from index start on that the caller may see. It copies them from the
// pages of all tools, so that the kept memory does not depend on how many sets of scopes clients have.
func (c *core) appendVisible(dst []byte, cat *catalog, seen *view, start int, v wire.Version) []byte {
	dst = append(dst, openTools...)
	var from *page
	first, last, left := -1, "", c.limits.ToolsPerPage
	for i := start; i < len(cat.tools); i++ {
		if !seen.shows(i) {
			continue
		}
		if left == 0 {
			return c.appendPageTail(dst, cat, last, v)
		}
		if begin := i - i%c.limits.ToolsPerPage; begin != first {
			first, from = begin, c.page(cat, begin, v)
		}
		dst = append(jsonwrite.Comma(dst), from.tool(i-first)...)
		last = cat.tools[i].Name()
		left--
	}
	return c.appendPageTail(dst, cat, "", v)
}

// appendPageTail appends what follows the tools of a page. If last is not "", more tools follow the one with that name.
func (c *core) appendPageTail(dst []byte, cat *catalog, last string, v wire.Version) []byte {
	dst = append(dst, ']')
	if last != "" {
		dst = wire.AppendText(dst, "nextCursor", wire.WriteCursor(last))
	}
	return c.appendResultTail(c.appendCacheHint(dst, cat, v), v, nil)
}

// after returns the index of the first tool whose name comes after name.
func (cat *catalog) after(name string) int {
	i, found := slices.BinarySearchFunc(cat.tools, name, func(t *mcptool.Tool, name string) int {
		return strings.Compare(t.Name(), name)
	})
	if found {
		i++
	}
	return i
}

// appendCacheHint appends the caching hint of a list. If a tool needs scopes, the list is private, because not all
// callers get the same one.
func (c *core) appendCacheHint(dst []byte, cat *catalog, v wire.Version) []byte {
	hint := c.cacheHint
	hint.Public = hint.Public && !cat.guards.any()
	return hint.append(dst, v)
}
