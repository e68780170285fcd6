package wire

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// cursorMark begins a cursor. A cursor contains the name of the last item of the previous page. So the server need not
// store cursors, a cursor has the same meaning on all connections and in all instances of the server, and it stays
// valid when the list changes: items after the name were not on an earlier page.
const cursorMark = "after "

// listedMark begins a [ListedCursor].
const listedMark = "under "

var cursorEncoding = base64.RawURLEncoding.Strict()

// WriteCursor returns the cursor of the page that begins after name.
func WriteCursor(name string) string {
	return cursorEncoding.EncodeToString([]byte(cursorMark + name))
}

// ReadCursor returns the name in a cursor, given as JSON. It reports false if raw is not a result of [WriteCursor].
func ReadCursor(raw []byte) (name string, ok bool) {
	return strings.CutPrefix(cursorText(raw), cursorMark)
}

// cursorText returns the decoded text of a cursor, "" if the cursor is invalid.
func cursorText(raw []byte) string {
	text, err := cursorEncoding.DecodeString(TextOf(raw))
	if err != nil {
		return ""
	}
	return string(text)
}

// ListedCursor is a position in the resources that the list functions of URI templates return.
type ListedCursor struct {
	Template string // the template of the list function
	Cursor   string // the function's cursor of the page, "" for its first page
}

// Write returns the cursor of the page that begins there.
func (c ListedCursor) Write() string {
	return cursorEncoding.EncodeToString(rawjson.AppendStrings([]byte(listedMark), []string{c.Template, c.Cursor}))
}

// ReadListedCursor returns the position in a cursor, given as JSON. It reports false if raw is not a result of
// [ListedCursor.Write].
func ReadListedCursor(raw []byte) (c ListedCursor, ok bool) {
	var parts []string
	text, isListed := strings.CutPrefix(cursorText(raw), listedMark)
	if !isListed || json.Unmarshal([]byte(text), &parts) != nil || len(parts) != 2 {
		return c, false
	}
	return ListedCursor{parts[0], parts[1]}, true
}
