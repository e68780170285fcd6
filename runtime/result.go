package runtime

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// toolResult is the result of the tool of a call.
type toolResult struct {
	call  *call
	value []byte          // the structured part, as JSON; empty if there is none
	rest  *mcptool.Result // the other parts
}

// noRest is the rest of a result that consists of a structured part only. It is never modified.
var noRest mcptool.Result

// appendToolResult runs the tool of the call and appends its result, in the form of the revision. The structured part
// comes first: the tool writes it directly to dst, and the text block, which repeats it for models and older clients,
// is copied from there.
func appendToolResult(c *call, dst []byte) ([]byte, error) {
	defer leaveResponse(c)
	begin := len(dst)
	dst = append(dst, `{"structuredContent":`...)
	form := c.target.forms[c.version]
	if form == outputWrapped {
		dst = append(dst, `{"result":`...)
	}
	start := len(dst)
	dst, rest, err := invoke(c, dst)
	if err != nil {
		return dst, err
	}
	r := toolResult{c, dst[start:], rest}
	if err := enterResponse(c, len(r.value)); err != nil {
		return dst[:begin], err
	}
	switch {
	case len(r.value) == 0:
		dst = dst[:begin+1]
	case form == outputNone, form == outputObjects && r.value[0] != '{': // only the text is sent
		buf := wire.GetBuffer()
		defer wire.PutBuffer(buf)
		*buf = append(*buf, r.value...)
		r.value, dst = *buf, dst[:begin+1]
	case form == outputWrapped:
		dst = append(dst, '}')
	}
	return r.complete(dst, begin)
}

// complete appends the rest of the result, which begins at begin, after its structured part. If the result is then too
// large, it returns an error.
func (r *toolResult) complete(dst []byte, begin int) ([]byte, error) {
	if r.rest == nil {
		r.rest = &noRest
	}
	c, added := r.call, 0
	limit := c.from.limits.MaxResultBytes
	room := limit - (len(dst) - begin)
	hasText := 2*len(r.value) < room || r.textSize() < room || r.isRepeated()
	if !hasText { // it would be too large: only its size is added
		const block = `,{"type":"text","text":}`
		added = len(block) + r.textSize()
	}
	end := begin + 2*c.from.maxJSON // value is already in dst
	dst, err := r.appendRest(dst, hasText, end)
	switch size := len(dst) - begin + added; {
	case err != nil:
		return dst[:begin], err
	case len(dst) > end:
		return dst[:begin], tooLarge(c, largeError{size: c.from.maxJSON, more: true})
	case size > limit:
		return dst[:begin], tooLarge(c, largeError{size: size})
	default:
		return dst, nil
	}
}

// appendRest appends the rest of the result after its structured part. If hasText is set, it has a text block with the
// structured part, unless the tool has added one. It stops when dst is longer than end: the result is then too large,
// and incomplete.
func (r *toolResult) appendRest(dst []byte, hasText bool, end int) ([]byte, error) {
	c := r.call
	redactor := c.from.redactor
	dst = append(rawjson.AppendName(dst, "content"), '[')
	start := len(dst)
	for i, block := range r.rest.Content {
		size := blockSize(block)
		if len(dst)+size > end { // before allocating memory for it
			return dst, tooLarge(c, largeError{size: c.from.maxJSON, more: true})
		}
		if err := enterResponse(c, len(dst)-start+size); err != nil {
			return dst, err
		}
		if dst = wire.AppendBlock(dst, block, c.version, redactor, i); len(dst) > end {
			return dst, nil
		}
	}
	if hasText && len(r.value) > 0 && (len(r.rest.Content) == 0 || !r.isRepeated()) {
		dst = append(rawjson.AppendComma(dst), `{"type":"text","text":`...)
		switch {
		case !r.isText():
			dst = rawjson.AppendQuoted(dst, r.value)
		case redactor == nil && rawjson.IsHarmless(r.value):
			dst = append(dst, r.value...)
		default:
			dst = redactor.AppendString(dst, string(rawjson.Unquote(r.value)))
		}
		dst = append(dst, '}')
	}
	dst = append(dst, ']')
	if r.rest.IsError {
		dst = append(dst, `,"isError":true`...)
		c.needExtras().isError = true
	}
	return c.from.serverInfo.AppendTail(dst, wire.Complete, c.version, rawjson.AppendRawMembers(nil, r.rest.Meta)), nil
}

// blockSize returns the approximate size of the largest part of a block, as JSON in bytes. Redaction may change it.
func blockSize(block mcptool.Content) int {
	switch b := block.(type) {
	case mcptool.Text:
		return len(b.Text)
	case mcptool.Image:
		return base64.StdEncoding.EncodedLen(len(b.Data))
	case mcptool.Audio:
		return base64.StdEncoding.EncodedLen(len(b.Data))
	case mcptool.EmbeddedResource:
		return contentsSize(&b.Resource)
	default:
		return 0
	}
}

// contentsSize is blockSize for contents of a resource.
func contentsSize(c *mcptool.ResourceContents) int {
	return len(c.Text) + base64.StdEncoding.EncodedLen(len(c.Blob))
}

// isText reports whether the text block for the structured part is the string itself, instead of its JSON. Either is the
// value, and not the object around it in revisions that require one: it is the same text in every revision. See
// docs/arguments.md for the reasons.
func (r *toolResult) isText() bool {
	return rawjson.KindOf(r.value) == rawjson.String && internals.Settings(r.call.target.tool).IsString
}

// textSize returns the approximate size of the text block for the structured part; redaction may change it.
func (r *toolResult) textSize() int {
	if r.isText() {
		return len(r.value)
	}
	return rawjson.QuotedSize(r.value)
}

// isRepeated reports whether one of the content blocks is a text with the JSON of the structured part, ignoring white
// space, or the string that it is.
func (r *toolResult) isRepeated() bool {
	for _, block := range r.rest.Content {
		b, ok := block.(mcptool.Text)
		if !ok {
			continue
		}
		if rawjson.KindOf(r.value) == rawjson.String && len(b.Text)+len(`""`) <= len(r.value) && b.Text == string(rawjson.Unquote(r.value)) {
			return true
		}
		text := strings.TrimSpace(b.Text)
		if len(text) < len(r.value) || text[0] != r.value[0] {
			continue // cannot be equal
		}
		var compact bytes.Buffer
		if text == string(r.value) || json.Compact(&compact, []byte(text)) == nil && bytes.Equal(compact.Bytes(), r.value) {
			return true
		}
	}
	return false
}

// checkSize returns dst, or an error if the result that begins at begin is too large.
func checkSize(c *call, dst []byte, begin int) ([]byte, error) {
	if size := len(dst) - begin; size > c.from.limits.MaxResultBytes {
		return dst[:begin], tooLarge(c, largeError{size: size})
	}
	return dst, nil
}

// makeRoom is enterResponse, with an error if a result of this size is too large.
func makeRoom(c *call, size int) error {
	if size > c.from.limits.MaxResultBytes {
		return tooLarge(c, largeError{size: size, more: true})
	}
	return enterResponse(c, size)
}
