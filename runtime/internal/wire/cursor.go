package wire

import (
	"encoding/base64"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// A cursor names the last item of the page before. So it needs no memory,
// means the same on any connection and to any instance of the server, and
// survives changes of the list: what comes after it is never given twice.
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
