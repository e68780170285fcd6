package wire

import (
	"encoding/base64"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// A cursor contains the name of the last item of the page before. So the server need not store it, it has the same
// meaning on every connection and for every instance of the server, and it stays valid when the list changes: no item
// after it was on an earlier page.
const cursorMark = "after "

var cursorEncoding = base64.RawURLEncoding.Strict()

// WriteCursor returns the cursor of the page that begins after name.
func WriteCursor(name string) string {
	return cursorEncoding.EncodeToString([]byte(cursorMark + name))
}

// ReadCursor returns the name in a cursor, given as JSON.
func ReadCursor(raw []byte) (name string, ok bool) {
	if jsonscan.KindOf(raw) != jsonscan.String {
		return "", false
	}
	text, err := cursorEncoding.DecodeString(string(jsonscan.Unquote(raw)))
	if err != nil {
		return "", false
	}
	return strings.CutPrefix(string(text), cursorMark)
}
