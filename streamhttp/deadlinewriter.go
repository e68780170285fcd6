package streamhttp

import (
	"errors"
	"net/http"
	"time"
)

const (
	// writeTimeout bounds the write of each chunk. A client that does not read for that time counts as disconnected,
	// even if its connection is still open.
	writeTimeout = 30 * time.Second
	// writeChunk is the number of bytes written with one deadline, so that a large answer may take as long as a slow
	// connection needs.
	writeChunk = 256 << 10
	// maxUndeadlined is the maximum size of an answer that is written without a deadline, in bytes: the buffers of the
	// operating system accept that much even if the client does not read. Such unread answers cost no more than idle
	// connections.
	maxUndeadlined = 4 << 10
)

// deadlineWriter writes to a client with a deadline for each chunk, so that a client that does not read cannot block
// the writer for longer.
type deadlineWriter struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
}

func newDeadlineWriter(w http.ResponseWriter) deadlineWriter {
	return deadlineWriter{w: w, ctrl: http.NewResponseController(w)}
}

// send writes data and flushes it if possible; otherwise the client gets it at the end of the response.
func (d deadlineWriter) send(data []byte) error {
	// Only some ResponseWriters support deadlines, such as the one of net/http. The deadline is cleared because the
	// connection may serve other requests after this one.
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
