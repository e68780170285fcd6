package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/jsonquery"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
)

// part is a part of a result that can be cut: the structured part, or a text.
type part struct {
	raw     []byte // as JSON
	isJSON  bool   // a text that is JSON: raw is that JSON
	content int    // the index of the block; -1 for the structured part
	weight  int    // bytes as sent
	node    int32  // in the document that is kept
	value   []byte // after cutting; nil if it could not be cut
}

// weigh returns the number of bytes that JSON takes in a result: as a text, and in the structured part.
func (p *part) weigh(raw []byte) int {
	switch {
	case p.content < 0 && rawjson.KindOf(raw) == rawjson.String:
		return 2 * len(raw)
	case p.content < 0:
		return len(raw) + rawjson.QuotedSize(raw)
	case p.isJSON:
		return rawjson.QuotedSize(raw)
	default:
		return len(raw)
	}
}

// partsOf returns the parts of a result that can be cut, without texts that only repeat the structured part. Texts are redacted
// as the server does it, because it would not recognize parts of secrets.
func partsOf(res *mcptool.Result, redact func(string) string) (parts []part, err error) {
	var structured []byte
	if res.Structured != nil {
		raw, isRaw := res.Structured.(json.RawMessage)
		if !isRaw { // of other middleware
			if raw, err = reflectschema.AppendValue(nil, res.Structured); err != nil {
				return nil, err
			}
		}
		structured = raw
		p := part{raw: raw, content: -1}
		if rawjson.KindOf(raw) == rawjson.String { // some revisions have it only as a text
			p.raw = rawjson.AppendString(nil, redacted(string(rawjson.Unquote(raw)), redact))
		}
		parts = append(parts, p)
	}
	for i, block := range res.Content {
		text := textOf(block)
		if text == nil || repeats(*text, structured) {
			continue
		}
		p, said := part{content: i}, *text
		if b, ok := block.(mcptool.Text); ok && b.Verbatim {
			said = redact(said)
		} else {
			said = redacted(said, redact)
		}
		if trimmed := []byte(strings.TrimSpace(said)); isContainer(trimmed) && rawjson.Valid(trimmed, 0) == nil {
			p.raw, p.isJSON = trimmed, true
		} else {
			p.raw = rawjson.AppendString(nil, said)
		}
		parts = append(parts, p)
	}
	for i := range parts {
		parts[i].weight = parts[i].weigh(parts[i].raw)
	}
	return parts, nil
}

// redacted returns a text without what redact removes, also if terminal sequences divide it. Without such a secret, the text is
// unchanged.
func redacted(text string, redact func(string) string) string {
	if clean := rawjson.Clean(text, redact); clean != rawjson.StripTerminal(text) {
		return clean
	}
	return text
}

// isContainer reports whether JSON is an object or a list.
func isContainer(text []byte) bool {
	kind := rawjson.KindOf(text)
	return kind == rawjson.Object || kind == rawjson.Array
}

// textOf returns the text of a block; nil if it has none.
func textOf(block mcptool.Content) *string {
	switch b := block.(type) {
	case mcptool.Text:
		return &b.Text
	case *mcptool.Text:
		return &b.Text
	case mcptool.EmbeddedResource:
		return textOf(&b)
	case *mcptool.EmbeddedResource:
		if b.Resource.Blob == nil {
			return &b.Resource.Text
		}
	}
	return nil
}

// withText returns a copy of a block with another text.
func withText(block mcptool.Content, text string) mcptool.Content {
	switch b := block.(type) {
	case *mcptool.Text:
		return withText(*b, text)
	case *mcptool.EmbeddedResource:
		return withText(*b, text)
	case mcptool.Text:
		b.Text = text
		return b
	case mcptool.EmbeddedResource:
		b.Resource.Text = text
		return b
	default:
		return block
	}
}

// repeats reports whether a text is the structured part: its JSON, or the string that it is.
func repeats(text string, structured []byte) bool {
	if rawjson.KindOf(structured) == rawjson.String && text == string(rawjson.Unquote(structured)) {
		return true
	}
	var compact bytes.Buffer
	return len(text) >= len(structured) && json.Compact(&compact, []byte(text)) == nil && bytes.Equal(compact.Bytes(), structured)
}

// keptDocument returns the document to keep: the part if there is one, otherwise an object with the structured part and the
// texts. It sets the nodes of the parts.
func keptDocument(parts []part) (*jsonquery.Document, error) {
	if len(parts) == 1 {
		return jsonquery.New(parts[0].raw)
	}
	text := []byte("{")
	if parts[0].content < 0 {
		text = append(append(text, `"structured":`...), parts[0].raw...)
	}
	text = append(rawjson.AppendName(text, "content"), '[')
	for _, p := range parts {
		if p.content >= 0 {
			text = append(rawjson.AppendComma(text), p.raw...)
		}
	}
	doc, err := jsonquery.New(append(text, "]}"...))
	if err != nil {
		return nil, err
	}
	texts := doc.Child(0, "content")
	at := 0
	for i := range parts {
		if parts[i].content < 0 {
			parts[i].node = doc.Child(0, "structured")
			continue
		}
		parts[i].node = doc.Child(texts, fmt.Sprint(at))
		at++
	}
	return doc, nil
}

// text returns the text of a part that was cut.
func (p *part) text() string {
	if p.isJSON {
		return string(p.value)
	}
	return string(rawjson.Unquote(p.value))
}
