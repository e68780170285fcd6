package stdio

import (
	"io"
	"net"
	"os"
)

// hangups are the errors of a stream of which one end was closed, which is the
// normal end of a session.
var hangups = append(systemHangups, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed)
