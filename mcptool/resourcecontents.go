package mcptool

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/mediatype"
	"github.com/mcptool-go/mcptool/internal/private"
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

// contentsRenderer returns a func that turns results of type t into contents of the resource. It returns nil if results
// are sent as JSON, or if t cannot be sent, which it notes as a mistake.
func (d *definition) contentsRenderer(t reflect.Type, r *Resource) renderer {
	switch {
	case t == reflect.TypeFor[string]():
		r.mimeType = cmp.Or(r.mimeType, mimeText)
	case t == bytesType || t == contentsType || t == contentsListType || t.Implements(readerType):
	case t == resultType || t == resultType.Elem() || isBlock(t) || t.Kind() == reflect.Slice && isBlock(t.Elem()) || t == reflect.PointerTo(contentsType):
		d.typeMistake(t, "", "unsupported result type for a resource",
			"return a string, []byte, io.Reader, mcptool.ResourceContents, []mcptool.ResourceContents or a JSON type")
		return func(context.Context, reflect.Value) (*Result, error) { return nil, nil } //nolint:nilnil // never called
	default:
		return nil
	}
	return func(ctx context.Context, out reflect.Value) (*Result, error) {
		var contents []ResourceContents
		var err error
		switch v := out.Addr().Interface().(type) {
		case *string:
			contents = []ResourceContents{{Text: *v}}
		case *[]byte:
			contents = []ResourceContents{r.ofBytes(*v)}
		case *ResourceContents:
			contents = []ResourceContents{*v}
		case *[]ResourceContents:
			contents = *v
		default:
			contents, err = r.ofReader(ctx, out)
		}
		if err == nil {
			contents, err = r.finish(contents)
		}
		if err != nil {
			return nil, err
		}
		return rendered{contents: contents}.result()
	}
}

// ofBytes returns bytes as contents: text if the MIME type is a text type, and a blob otherwise.
func (r *Resource) ofBytes(data []byte) ResourceContents {
	if r.mimeType != "" && mediatype.IsText(r.mimeType) && utf8.Valid(data) {
		return ResourceContents{Text: string(data)}
	}
	if data == nil {
		data = []byte{}
	}
	return ResourceContents{Blob: data, MIMEType: cmp.Or(r.mimeType, mimeBytes)}
}

// ofReader reads a Reader to its end, or until it has more bytes than the server may send.
func (r *Resource) ofReader(ctx context.Context, out reflect.Value) (_ []ResourceContents, err error) {
	if isNil(out.Interface()) {
		return nil, &OutputError{Tool: r.key(), Err: errNilOut}
	}
	reader, _ := out.Interface().(io.Reader)
	if closer, ok := reader.(io.Closer); ok {
		defer func() {
			if failed := closer.Close(); err == nil {
				err = failed
			}
		}()
	}
	data, err := readAtMost(ctx, reader, 0)
	if err != nil {
		return nil, err
	}
	return []ResourceContents{r.ofBytes(data)}, nil
}

// mostWithoutServer is the maximum size of a Reader without a server, in bytes: the default limit of a server.
const mostWithoutServer = 16 << 20

// readAtMost reads a Reader to its end, or until it has more bytes than the server may send. Size is how many bytes it
// has, 0 if unknown.
func readAtMost(ctx context.Context, r io.Reader, size int64) ([]byte, error) {
	most := mostWithoutServer
	if server := callctx.Of(ctx).Server; server != nil {
		most = server.MaxContents()
	}
	if size > int64(most) {
		return nil, &private.TooLongError{Most: most}
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(&countedReader{ctx: ctx, r: r}, int64(most)+1)); err != nil {
		return nil, err
	}
	if b.Len() > most {
		return nil, &private.TooLongError{Most: most}
	}
	return b.Bytes(), nil
}

// countedReader is a Reader whose bytes count against the memory of the server before they are read, because a short
// request may read a lot. A Read that blocks is not interrupted.
type countedReader struct {
	ctx      context.Context //nolint:containedctx // of the call in which it is read
	r        io.Reader
	read     int
	reserved int
}

func (r *countedReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	if more := r.read + len(p) - r.reserved; more > 0 {
		if err := reserve(r.ctx, more); err != nil {
			return 0, err
		}
		r.reserved += more
	}
	n, err := r.r.Read(p)
	r.read += n
	return n, err
}

// finish checks contents and returns copies that can be sent.
func (r *Resource) finish(contents []ResourceContents) ([]ResourceContents, error) {
	var fs findings
	if len(contents) == 0 {
		fs.add("", "the resource has no contents", "return ErrResourceNotFound if the resource does not exist")
	}
	done := make([]ResourceContents, 0, len(contents))
	each(&fs, "contents", contents, func(c ResourceContents) { done = append(done, c.finish(&fs, r.mimeType)) })
	return done, fs.outputError(r.key())
}

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
