package mcptool

import (
	"cmp"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"
)

// ResourceContents are the contents of a [Resource], or a part of them: text, or bytes. They are also the contents in an
// [EmbeddedResource].
type ResourceContents struct {
	// URI is the absolute URI of the contents; "" means the URI that the client reads. A resource of several parts,
	// such as a directory, gives each part its own URI.
	URI string
	// MIMEType is the media type; "" means the media type of the resource.
	MIMEType string
	// Text is the text, valid UTF-8. It is sent unchanged, except that a server may redact it: see [Verbatim].
	Text string
	// Blob is the bytes of binary contents; nil means that the contents are text. With a Blob, Text must be empty.
	Blob []byte
	// Meta is the _meta object of the contents, with the rules of the option [Meta]. Nil means none.
	Meta map[string]any
}

const (
	mimeText  = "text/plain"
	mimeJSON  = "application/json"
	mimeBytes = "application/octet-stream"
)

var (
	bytesType        = reflect.TypeFor[[]byte]()
	readerType       = reflect.TypeFor[io.Reader]()
	contentsType     = reflect.TypeFor[ResourceContents]()
	contentsListType = reflect.TypeFor[[]ResourceContents]()
)

// finish checks contents and returns a copy that can be sent.
func (c ResourceContents) finish(fs *findings, mimeType string) ResourceContents {
	if c.URI != "" {
		checkURI(fs, "uri", c.URI)
	}
	checkMIMEType(fs, c.MIMEType)
	switch {
	case c.Blob == nil:
		c.MIMEType = cmp.Or(c.MIMEType, mimeType, mimeText)
		if !utf8.ValidString(c.Text) {
			fs.add("text", "it is not UTF-8", "return []byte, or set Blob")
		}
	case c.Text != "":
		fs.add("", "contents must be text or a blob, not both", "set one of Text and Blob")
	}
	c.MIMEType = cmp.Or(c.MIMEType, mimeType, mimeBytes)
	c.Meta = encodeMeta(fs, c.Meta)
	return c
}

// String returns the size and type of the contents, for logs and tests.
func (c ResourceContents) String() string {
	if c.Blob != nil {
		return fmt.Sprintf("%s: %s, %d bytes", c.URI, c.MIMEType, len(c.Blob))
	}
	return fmt.Sprintf("%s: %s, %q", c.URI, c.MIMEType, shorten(c.Text))
}
