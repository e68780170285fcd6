package runtime

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// appendResult runs the tool and appends the result of the call, in the form of its revision. The structured part comes
// first: the tool writes it directly to dst, and the text block, which repeats it for models and older clients, is
// copied from there.
func (c *call) appendResult(dst []byte) ([]byte, error) {
	defer c.leave()
	begin := len(dst)
	dst = append(dst, '{')
	form := c.forms[c.version]
	switch form {
	case outputPlain:
		dst = append(dst, `"structuredContent":`...)
	case outputWrapped:
		dst = append(dst, `"structuredContent":{"result":`...)
	default:
		return c.appendAsText(dst, begin, form)
	}
	start := len(dst)
	dst, rest, err := c.invoke(dst)
	if err != nil {
		return dst, err
	}
	value := dst[start:]
	if err := c.enter(len(value)); err != nil {
		return dst[:begin], err
	}
	switch {
	case len(value) == 0:
		dst = dst[:begin+1]
	case form == outputWrapped:
		dst = append(dst, '}')
	}
	return c.complete(dst, begin, value, rest)
}

// appendAsText is appendResult for a structured part that is not sent, or only if it is an object.
func (c *call) appendAsText(dst []byte, begin int, form outputForm) ([]byte, error) {
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	value, rest, err := c.invoke(*buf)
	if err != nil {
		return dst, err
	}
	*buf = value
	if err := c.enter(len(value)); err != nil {
		return dst, err
	}
	if form == outputObjects && len(value) > 0 && value[0] == '{' {
		dst = append(append(dst, `"structuredContent":`...), value...)
	}
	return c.complete(dst, begin, value, rest)
}

// appendRest appends the rest of a result after its structured part, which is value. It stops when dst is longer than
// end: the result is then too large, and incomplete.
func (c *call) appendRest(dst, value []byte, rest *mcptool.Result, end int) ([]byte, error) {
	dst = append(rawjson.AppendName(dst, "content"), '[')
	start := len(dst)
	for i, block := range rest.Content {
		size := len(dst) - start
		if text, ok := block.(mcptool.Text); ok {
			size += len(text.Text)
		}
		if err := c.enter(size); err != nil {
			return dst, err
		}
		if dst = c.from.appendBlock(dst, block, c.version, i); len(dst) > end {
			return dst, nil
		}
	}
	if len(value) > 0 && !saysAlready(rest.Content, value) {
		dst = append(rawjson.AppendComma(dst), `{"type":"text","text":`...)
		if c.isText(value) {
			dst = c.from.appendString(dst, value)
		} else {
			dst = rawjson.AppendQuoted(dst, value)
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if rest.IsError {
		dst = append(dst, `,"isError":true`...)
		c.needExtras().isError = true
	}
	return c.from.appendResultTail(dst, c.version, rawjson.AppendRawMembers(nil, rest.Meta)), nil
}

// isText reports whether the text block of a result with this structured part is the string itself, instead of its
// JSON.
func (c *call) isText(value []byte) bool {
	return rawjson.KindOf(value) == rawjson.String && internals.IsString(c.tool)
}

// textSize returns the approximate size of the text block for a structured part; redaction may change it.
func (c *call) textSize(value []byte) int {
	if c.isText(value) {
		return len(value)
	}
	return rawjson.QuotedSize(value)
}

// noRest is the rest of a result that consists of a structured part only. It is never modified.
var noRest mcptool.Result

// saysAlready reports whether one of the blocks is a text with the JSON of value, ignoring white space, or the string
// that value is.
func saysAlready(blocks []mcptool.Content, value []byte) bool {
	for _, block := range blocks {
		b, ok := block.(mcptool.Text)
		if !ok {
			continue
		}
		if rawjson.KindOf(value) == rawjson.String && len(b.Text)+len(`""`) <= len(value) && b.Text == string(rawjson.Unquote(value)) {
			return true
		}
		text := strings.TrimSpace(b.Text)
		if len(text) < len(value) || text[0] != value[0] {
			continue // cannot be equal
		}
		var compact bytes.Buffer
		if text == string(value) || json.Compact(&compact, []byte(text)) == nil && bytes.Equal(compact.Bytes(), value) {
			return true
		}
	}
	return false
}

// appendFailure appends an isError result with this text.
func (c *core) appendFailure(dst []byte, text string, v wire.Version) []byte {
	dst = c.redactor.AppendString(append(dst, `{"content":[{"type":"text","text":`...), text)
	return c.appendResultTail(append(dst, `}],"isError":true`...), v, nil)
}
