package wire

import (
	"encoding/base64"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/internal/jsonwrite"
)

// A cursor contains the name of the last item of the page before. So the server need not store it, it has the same
// meaning on every connection and for every instance of the server, and it stays valid when the list changes: no item
// after it was on an earlier page.
const cursorMark = "after "

// listedMark begins a cursor into what a func lists.
const listedMark = "under "

var cursorEncoding = base64.RawURLEncoding.Strict()

// WriteCursor returns the cursor of the page that begins after name.
func WriteCursor(name string) string {
	return cursorEncoding.EncodeToString([]byte(cursorMark + name))
}

// ReadCursor returns the name in a cursor, given as JSON.
func ReadCursor(raw []byte) (name string, ok bool) {
	return strings.CutPrefix(cursorText(raw), cursorMark)
}

// cursorText returns what a cursor contains, "" if it is none of ours.
func cursorText(raw []byte) string {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return ""
	}
	text, err := cursorEncoding.DecodeString(string(jsonscan.Unquote(raw)))
	if err != nil {
		return ""
	}
	return string(text)
}

// ListedCursor is a position in what the funcs of URI templates list.
type ListedCursor struct {
	Template string // whose func lists
	Cursor   string // of its page, "" for the first one
	After    string // the URI on that page which is the last that was sent, "" if none was
}

// Write returns the cursor of the page that begins there.
func (c ListedCursor) Write() string {
	return cursorEncoding.EncodeToString(jsonwrite.Strings([]byte(listedMark), []string{c.Template, c.Cursor, c.After}))
}

// ReadListedCursor returns the position in a cursor, given as JSON.
func ReadListedCursor(raw []byte) (c ListedCursor, ok bool) {
	text, ok := strings.CutPrefix(cursorText(raw), listedMark)
	if !ok {
		return c, false
	}
	parts, err := Elements([]byte(text), 1, 4)
	if err != nil || len(parts) != 3 {
		return c, false
	}
	for i, into := range []*string{&c.Template, &c.Cursor, &c.After} {
		if jsonscan.KindOf(parts[i]) != jsonscan.String {
			return c, false
		}
		*into = TextOf(parts[i])
	}
	return c, true
}
