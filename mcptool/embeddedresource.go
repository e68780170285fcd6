package mcptool

import "strings"

// EmbeddedResource contains the content of a resource itself. URI is required, absolute and without a step ".." in
// its path. A Blob that is not nil makes it binary, and Text must then be empty; otherwise it is text, which may be
// empty: an empty file is still a file. A server that has only tools has no resources, so a client cannot read it
// again by its URI; if that matters, return a [ResourceLink] with an https URI, or [Text].
type EmbeddedResource struct {
	URI         string
	MIMEType    string
	Text        string
	Blob        []byte
	Annotations *Annotations
	Meta        map[string]any
}

func (c EmbeddedResource) finish(fs *findings) Content {
	checkURI(fs, "uri", c.URI)
	checkMIMEType(fs, c.MIMEType)
	if c.Text != "" && c.Blob != nil {
		fs.add("", "a resource is text or a blob, and this one is both", "set one of Text and Blob")
	}
	c.Text = strings.ToValidUTF8(c.Text, "\ufffd")
	c.Meta = finishBlock(fs, c.Annotations, c.Meta)
	return c
}

func (c EmbeddedResource) write(w blockWriter) []byte {
	w = w.open("resource").object("resource").token("uri", c.URI).optionalToken("mimeType", c.MIMEType)
	if c.Blob != nil {
		w = w.binary("blob", c.Blob)
	} else {
		w = w.prose("text", c.Text)
	}
	return w.endObject().close(c.Annotations, c.Meta)
}

func (EmbeddedResource) older(string, int) Content { return nil }
