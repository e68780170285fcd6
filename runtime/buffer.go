package runtime

import "sync"

// keepBuffer is the largest buffer worth keeping: one big result must not
// pin its size for ever.
const keepBuffer = 64 << 10

// buffers holds the byte slices messages are built in.
var buffers = sync.Pool{New: func() any { return new(make([]byte, 0, 1<<10)) }}

// getBuffer returns an empty buffer; give it back with putBuffer in the same func.
func getBuffer() *[]byte {
	buf, ok := buffers.Get().(*[]byte)
	if !ok {
		return new([]byte)
	}
	*buf = (*buf)[:0]
	return buf
}

func putBuffer(buf *[]byte) {
	if cap(*buf) <= keepBuffer {
		buffers.Put(buf)
	}
}
