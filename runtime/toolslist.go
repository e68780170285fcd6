package runtime

import (
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// listTools answers tools/list. Tools come in the order of their names, in pages.
func (r *request) listTools(dst []byte) ([]byte, *wireError) {
	cat := r.session.catalog()
	start := 0
	switch cursor := r.params.Cursor; jsonscan.KindOf(cursor) {
	case jsonscan.Invalid, jsonscan.Null:
	default:
		after, ok := readCursor(cursor)
		if !ok {
			return dst, invalidParams("params.cursor is none of ours; leave it out to begin with the first page")
		}
		start = cat.after(after)
	}
	return append(dst, r.session.page(cat, start, r.version)...), nil
}

// page returns the result object with the tools from index start on. Pages that
// follow from the first are kept; a client that made up its cursor may ask for others.
func (c *core) page(cat *catalog, start int, v version) []byte {
	key := pageKey{v, start}
	if kept, ok := cat.pages.Load(key); ok {
		page, _ := kept.([]byte)
		return page
	}
	page := c.appendPage(nil, cat, start, v)
	if start%c.limits.Page == 0 {
		cat.pages.Store(key, page)
	}
	return page
}

// appendPage renders the page that begins with the tool at start.
func (c *core) appendPage(dst []byte, cat *catalog, start int, v version) []byte {
	end := min(start+c.limits.Page, len(cat.tools))
	dst = append(dst, `{"tools":[`...)
	for _, t := range cat.tools[start:end] {
		dst = cat.appendTool(jsonwrite.Comma(dst), t, v)
	}
	dst = append(dst, ']')
	if end < len(cat.tools) {
		dst = appendText(dst, "nextCursor", writeCursor(cat.tools[end-1].Name()))
	}
	return c.appendResultTail(c.appendCacheHint(dst, v), v, nil)
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

// A cursor names the last tool of the page before. So it needs no memory,
// means the same on any connection and to any instance of the server, and
// survives changes of the tools: what comes after it is never given twice.
const cursorMark = "after "

var cursorEncoding = base64.RawURLEncoding.Strict()

func writeCursor(name string) string {
	return cursorEncoding.EncodeToString([]byte(cursorMark + name))
}

// readCursor returns the name in a cursor, given as JSON.
func readCursor(raw []byte) (name string, ok bool) {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return "", false
	}
	text, err := cursorEncoding.DecodeString(string(jsonscan.Unquote(raw)))
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(text), cursorMark)
}

// appendCacheHint appends how long and for whom a list may be kept, from the
// revision on that wants to know.
func (c *core) appendCacheHint(dst []byte, v version) []byte {
	if !v.has(perRequest) {
		return dst
	}
	dst = strconv.AppendInt(jsonwrite.Name(dst, "ttlMs"), max(c.cacheHint.TTL.Milliseconds(), 0), 10)
	scope := "private"
	if c.cacheHint.Public {
		scope = "public"
	}
	return appendText(dst, "cacheScope", scope)
}
