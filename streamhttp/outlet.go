package streamhttp

import (
	"net/http"
	"time"
)

const (
	// lastingWrite is how long a client may take to read a piece of what is sent to it. One that
	// reads nothing for so long has gone, even if its connection has not.
	lastingWrite = 30 * time.Second
	// piece is how much has that time to itself, in bytes, so that large answers may take
	// as long as a slow line needs.
	piece = 256 << 10
	// brief is how long an answer may be that is written without a deadline, in bytes: a
	// system takes so much whether the client reads or not. One that has many
	// such answers waiting for it costs what an idle connection does.
	brief = 4 << 10
)

// outlet writes to a client, and waits for none that does not read.
type outlet struct {
	w    http.ResponseWriter
	ctrl *http.ResponseController
}

func newOutlet(w http.ResponseWriter) outlet {
	return outlet{w: w, ctrl: http.NewResponseController(w)}
}

// send writes data, all the way to the client.
func (o outlet) send(data []byte) error {
	// Not every ResponseWriter has deadlines; those of servers over sockets do. They are
	// taken back, since the connection may serve other requests after this one.
	defer func() { _ = o.ctrl.SetWriteDeadline(time.Time{}) }()
	for {
		_ = o.ctrl.SetWriteDeadline(time.Now().Add(lastingWrite))
		n := min(len(data), piece)
		if _, err := o.w.Write(data[:n]); err != nil { //nolint:gosec // JSON or events, and labelled so
			return err
		}
		if data = data[n:]; len(data) == 0 {
			return o.ctrl.Flush()
		}
	}
}
