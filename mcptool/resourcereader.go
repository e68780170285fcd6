package mcptool

import (
	"cmp"
	"context"
	"errors"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/mcptool-go/mcptool/internal/callctx"
	"github.com/mcptool-go/mcptool/internal/mediatype"
	"github.com/mcptool-go/mcptool/internal/private"
)

// renderer returns a func that turns results of type t into contents of the resource, and sets the default of its media
// type. It returns nil if results are sent as JSON. If t cannot be sent, it notes a mistake.
func (r *Resource) renderer(fs *findings, t reflect.Type) renderer {
	switch {
	case t == reflect.TypeFor[string]():
		r.mimeType = cmp.Or(r.mimeType, mimeText)
	case t == bytesType || t == contentsType || t == contentsListType || t.Implements(readerType):
	case isSent(innermost(t)) || t.Kind() == reflect.Slice && isBlock(t.Elem()):
		fs.typeMistake(t, "", "unsupported result type for a resource",
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
			contents, err = r.ofBytes(ctx, *v)
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
func (r *Resource) ofBytes(ctx context.Context, data []byte) ([]ResourceContents, error) {
	if r.mimeType != "" && mediatype.IsText(r.mimeType) && utf8.Valid(data) {
		return textContents(ctx, "", data)
	}
	return []ResourceContents{{Blob: notNil(data), MIMEType: cmp.Or(r.mimeType, mimeBytes)}}, nil
}

// textContents returns bytes as text, which is a copy. It is an error if they are more than the server may send.
func textContents(ctx context.Context, mimeType string, data []byte) ([]ResourceContents, error) {
	if server := callctx.Of(ctx).Server; server != nil && len(data) > server.MaxContents() {
		return nil, &private.TooLongError{Most: server.MaxContents()}
	}
	if err := reserve(ctx, len(data)); err != nil {
		return nil, err
	}
	return []ResourceContents{{MIMEType: mimeType, Text: string(data)}}, nil
}

// notNil returns data, or an empty slice instead of nil, which means text as a Blob.
func notNil(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
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
	return r.ofBytes(ctx, data)
}

const (
	// mostWithoutServer is the maximum size of a Reader without a server, in bytes: the default limit of a server.
	mostWithoutServer = 16 << 20
	// firstRead is the size of the first buffer for a Reader of unknown size, in bytes.
	firstRead = 4 << 10
)

// readAtMost reads a Reader to its end, or until it has more bytes than the server may send. Size is how many bytes it
// has, 0 if unknown. Memory is reserved before it is allocated, because a short request may read a lot, and many
// requests may do so at the same time. A Read that blocks is not interrupted.
func readAtMost(ctx context.Context, r io.Reader, size int64) ([]byte, error) {
	most := mostWithoutServer
	if server := callctx.Of(ctx).Server; server != nil {
		most = server.MaxContents()
	}
	if size > int64(most) {
		return nil, &private.TooLongError{Most: most}
	}
	largest := max(most, most+1) // one more to find the end, unless that is too large for an int
	var data []byte
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(data) == cap(data) {
			grown := min(max(int(size)+1, 2*cap(data), firstRead), largest)
			if err := reserve(ctx, grown-cap(data)); err != nil {
				return nil, err
			}
			data = append(make([]byte, 0, grown), data...)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case len(data) > most:
			return nil, &private.TooLongError{Most: most}
		case errors.Is(err, io.EOF):
			return data, nil
		case err != nil:
			return nil, err
		}
	}
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
