package wire

import (
	"bytes"
	"sync"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// BeginResult appends the start of a successful response; the result object
// follows, then [EndResponse].
func BeginResult(dst, id []byte) []byte {
	dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
	return append(dst, `,"result":`...)
}

// EndResponse appends the end of a successful response.
func EndResponse(dst []byte) []byte { return append(dst, '}') }

// ServerInfo is the [Identity] of a server as JSON, for each revision.
type ServerInfo [Latest + 1][]byte

// Complete is the type of results that do not require another request of the client.
var Complete = []byte(`"complete"`)

// AppendTail appends the end of a result object, including _meta. From 2026-07-28 on, every result contains its type
// (kind, as JSON) and the server's identity. Meta contains further members of _meta, without braces.
func (s *ServerInfo) AppendTail(dst, kind []byte, v Version, meta []byte) []byte {
	modern := v.Has(PerRequest)
	if modern {
		dst = append(rawjson.AppendName(dst, "resultType"), kind...)
	}
	if modern || len(meta) > 0 {
		dst = append(rawjson.AppendName(dst, "_meta"), '{')
		dst = append(dst, meta...)
		if modern {
			dst = append(rawjson.AppendName(dst, metaServerInfo), s[v]...)
		}
		dst = append(dst, '}')
	}
	return append(dst, '}')
}

// ResponseID returns the id of a response made by [BeginResult] or [Error.AppendResponse], nil if it has none.
func ResponseID(msg []byte) []byte {
	rest, ok := bytes.CutPrefix(msg, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return nil
	}
	s := rawjson.New(rest, 1)
	return s.Value()
}

// maxKept is the capacity of the largest buffer that the pool keeps, in bytes. It is enough for a result of 100 KB,
// which a response contains twice; allocating and clearing such a buffer is a third of the time of the call. Few
// buffers get that large, because long responses are built one after the other, and the garbage collector empties the
// pool.
const maxKept = 256 << 10

// buffers is the pool of buffers in which messages are built.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 1<<10)) }}

// GetBuffer returns an empty buffer. The calling function must return it with [PutBuffer].
func GetBuffer() *[]byte {
	buf := buffers.Get().(*[]byte) //nolint:forcetypeassert,errcheck // there is nothing else in it
	*buf = (*buf)[:0]
	return buf
}

// PutBuffer returns a buffer to the pool, unless it is large.
func PutBuffer(buf *[]byte) {
	if cap(*buf) <= maxKept {
		buffers.Put(buf)
	}
}

// Compose calls deliver with the message that build appends to a pooled buffer. deliver must not keep the message.
func Compose(deliver func(msg []byte), build func(dst []byte) []byte) {
	buf := GetBuffer()
	defer PutBuffer(buf)
	*buf = build(*buf)
	deliver(*buf)
}
