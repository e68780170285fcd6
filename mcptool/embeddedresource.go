package mcptool

import "strings"

// EmbeddedResource contains the content of a resource. URI is required and absolute; unless it is an http or https URI,
// its path must not contain "..". If Blob is not nil, the resource is binary and Text must be empty. Otherwise it is
// text, which may be empty, like a file. The client has the content, so the URI need not belong to a [Resource] of the
// server, although the protocol recommends it. On a server that has no resources a client cannot read the URI later; if
// it must be able to, return a [ResourceLink] with an https URI instead.
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
