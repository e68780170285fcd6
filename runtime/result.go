package runtime

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonwrite"
	"github.com/mcptool-go/mcptool/mcptool"
)

// appendCallResult appends the result of a call as clients of revision v get it.
// A structured result is also there as text, for models and older clients.
func (c *core) appendCallResult(dst []byte, t *mcptool.Tool, r *mcptool.Result, v version) []byte {
	dst = append(dst, `{"content":[`...)
	for i, block := range r.Content {
		dst = appendBlock(dst, block, v, i)
	}
	value, _ := r.Structured.(json.RawMessage) // what Tool.Call leaves there
	if value != nil && !saysAlready(r.Content, value) {
		dst = append(jsonwrite.Quoted(jsonwrite.Name(openBlock(dst, "text"), "text"), value), '}')
	}
	dst = append(dst, ']')
	if value != nil {
		dst = c.appendStructured(dst, t, value, v)
	}
	if r.IsError {
		dst = append(dst, `,"isError":true`...)
	}
	return c.appendResultTail(dst, v, appendMetaMembers(nil, r.Meta))
}

// appendStructured appends structuredContent as the tool's output schema in
// tools/list promised it to this revision.
func (c *core) appendStructured(dst []byte, t *mcptool.Tool, value []byte, v version) []byte {
	form, _ := c.catalog().output(t, v)
	switch {
	case form == outputPlain, form == outputObjects && value[0] == '{':
		return append(jsonwrite.Name(dst, "structuredContent"), value...)
	case form == outputWrapped:
		dst = append(jsonwrite.Name(dst, "structuredContent"), `{"result":`...)
		return append(append(dst, value...), '}')
	default:
		return dst
	}
}

// saysAlready reports whether one of the blocks is the text of the JSON value, but
// for white space.
func saysAlready(blocks []mcptool.Content, value []byte) bool {
	for _, block := range blocks {
		b, ok := block.(mcptool.Text)
		if !ok {
			continue
		}
		text := strings.TrimSpace(b.Text)
		if len(text) < len(value) || text[0] != value[0] {
			continue // no need to read it
		}
		var compact bytes.Buffer
		if text == string(value) || json.Compact(&compact, []byte(text)) == nil && bytes.Equal(compact.Bytes(), value) {
			return true
		}
	}
	return false
}

// appendFailure appends the result of a call that failed.
func (c *core) appendFailure(dst []byte, text string, v version) []byte {
	dst = appendTextBlock(append(dst, `{"content":[`...), mcptool.Text{Text: text}, v)
	return c.appendResultTail(append(dst, `],"isError":true`...), v, nil)
}
