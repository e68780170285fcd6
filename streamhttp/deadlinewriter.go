package streamhttp

import (
	"errors"
	"net/http"
	"time"
)

const (
	// writeTimeout bounds the write of each chunk. A client that reads nothing for so long counts as disconnected,
	// even if its connection is still open.
	writeTimeout = 30 * time.Second
	// writeChunk is how many bytes are written with one deadline, so that a large answer may take
	// as long as a slow connection needs.
	writeChunk = 256 << 10
	// maxUndeadlined is the size of the largest answer that is written without a deadline, in bytes: the buffers of the
	// operating system hold that much whether the client reads or not. A client with many unread answers of this size
	// costs as much as one with idle connections.
	maxUndeadlined = 4 << 10
)

// deadlineWriter writes to a client with a deadline for each chunk, so that a client that does not read blocks nothing
// for longer.
type deadlineWriter struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
}

func newDeadlineWriter(w http.ResponseWriter) deadlineWriter {
	return deadlineWriter{w: w, ctrl: http.NewResponseController(w)}
}

// send writes data and flushes it if possible. Otherwise the client gets it at the end of the response.
func (d deadlineWriter) send(data []byte) error {
	// Not every ResponseWriter has deadlines; those of net/http servers do. The deadline is
	// cleared, since the connection may serve other requests after this one.
	defer func() { _ = d.ctrl.SetWriteDeadline(time.Time{}) }()
	for {
		_ = d.ctrl.SetWriteDeadline(time.Now().Add(writeTimeout))
		n := min(len(data), writeChunk)
		if _, err := d.w.Write(data[:n]); err != nil {
			return err
		}
		if data = data[n:]; len(data) == 0 {
			if err := d.ctrl.Flush(); !errors.Is(err, http.ErrNotSupported) {
				return err
			}
			return nil
		}
	}
}
