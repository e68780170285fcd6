package wire

import "sync"

// maxKept is the largest buffer that the pool keeps, in bytes: room for an answer of 100 KB, which has it twice. To allocate
// and clear such a buffer takes a third of what a call with a long text takes. As long answers are built in turn, there are
// few, and the collector empties the pool.
const maxKept = 256 << 10

// buffers is the pool of byte slices in which messages are built.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 1<<10)) }}

// GetBuffer returns an empty buffer; return it with [PutBuffer] in the same func.
func GetBuffer() *[]byte {
	buf, ok := buffers.Get().(*[]byte)
	if !ok {
		return new([]byte)
	}
	*buf = (*buf)[:0]
	return buf
}

// PutBuffer returns a buffer to the pool, unless it is large.
func PutBuffer(buf *[]byte) {
	if cap(*buf) <= maxKept {
		buffers.Put(buf)
	}
}

// Compose calls deliver with the message that build appends. Deliver must not keep it.
func Compose(deliver func(msg []byte), build func(dst []byte) []byte) {
	buf := GetBuffer()
	defer PutBuffer(buf)
	*buf = build(*buf)
	deliver(*buf)
}
