package wire

import "sync"

// MaxKeptBuffer is the largest buffer worth keeping: one big result must not
// pin its size for ever.
const MaxKeptBuffer = 64 << 10

// buffers holds the byte slices messages are built in.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 1<<10)) }}

// GetBuffer returns an empty buffer; give it back with [PutBuffer] in the same func.
func GetBuffer() *[]byte {
	buf, ok := buffers.Get().(*[]byte)
	if !ok {
		return new([]byte)
	}
	*buf = (*buf)[:0]
	return buf
}

// PutBuffer takes a buffer back, unless it is large.
func PutBuffer(buf *[]byte) {
	if cap(*buf) <= MaxKeptBuffer {
		buffers.Put(buf)
	}
}

// Compose delivers a message that build appends.
func Compose(deliver func(msg []byte), build func(dst []byte) []byte) {
	buf := GetBuffer()
	defer PutBuffer(buf)
	*buf = build(*buf)
	deliver(*buf)
}
