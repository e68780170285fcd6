package mcptool

import "strings"

// Text is prose, code or data for the model to read. U+FFFD replaces invalid UTF-8 and invisible characters that change
// how the surrounding text reads: control characters except tabs and line ends, bidirectional marks, Unicode tags. For
// data that must arrive unchanged, use the Blob of an [EmbeddedResource] or a structured result.
type Text struct {
	Text        string
	Annotations *Annotations
	Meta        map[string]any
}

func (c Text) finish(fs *findings) Content {
	c.Text = strings.ToValidUTF8(c.Text, "\ufffd")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c Text) write(w blockWriter) []byte {
	return w.open("text").prose("text", c.Text).close(c.Annotations, c.Meta)
}

func (Text) older(string, int) Content { return nil }
