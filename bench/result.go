package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/measure/terminal"
)

// resultText formats a result for display: text unchanged, data indented, other content as a one-line description.
func resultText(r *client.Result) string {
	var (
		parts    []string
		whole    string // the structured content, if it is a string
		isString = json.Unmarshal(r.StructuredContent, &whole) == nil
		shown    = r.StructuredContent == nil
	)
	for i := range r.Content {
		c := &r.Content[i]
		if c.Type != "text" || !sameJSON(c.Text, r.StructuredContent) {
			parts = append(parts, contentText(c))
		}
		shown = shown || isString && c.Type == "text" && c.Text == whole
	}
	if !shown {
		var b bytes.Buffer
		if err := json.Indent(&b, r.StructuredContent, "", "  "); err == nil {
			parts = append(parts, b.String())
		}
	}
	if len(parts) == 0 {
		return "(empty result)\n"
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(strings.TrimRight(part, "\n") + "\n")
	}
	return b.String()
}

// sameJSON reports whether text is the same JSON as data. Servers also send structured content as text, for clients that
// do not support it.
func sameJSON(text string, data json.RawMessage) bool {
	var a, b bytes.Buffer
	return data != nil && json.Compact(&a, []byte(text)) == nil && json.Compact(&b, data) == nil && bytes.Equal(a.Bytes(), b.Bytes())
}

// contentText formats a content block.
func contentText(c *client.Content) string {
	switch {
	case c.Type == "text":
		return c.Text
	case c.Type == "resource" && c.Text != "":
		return described(c.URI, c.MIMEType) + "\n" + c.Text
	case c.Type == "resource":
		return described(c.URI, c.MIMEType, sizeOf(c.Data))
	case c.Type == "resource_link":
		return described("link", c.Name, c.URI, c.MIMEType)
	case c.Data != "":
		return described(c.Type, c.MIMEType, sizeOf(c.Data))
	default:
		return string(c.Raw)
	}
}

// described returns the non-empty words in brackets.
func described(words ...string) string {
	var known []string
	for _, word := range words {
		if word != "" {
			known = append(known, terminal.OneLine(word))
		}
	}
	return "[" + strings.Join(known, ", ") + "]"
}

// sizeOf returns the decoded size of base64 data.
func sizeOf(data string) string {
	return bytesize.Text(int64(base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(data, "=")))))
}
