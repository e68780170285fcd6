package stdio

import (
	"io"
	"net"
	"os"
)

// hangups are the ways in which a stream fails because one of its ends was
// closed, which is how sessions end.
var hangups = append(systemHangups, io.ErrClosedPipe, net.ErrClosed, os.ErrClosed)
