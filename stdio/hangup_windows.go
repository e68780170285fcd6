package stdio

import "syscall"

// errNoData is ERROR_NO_DATA: the pipe is being closed.
const errNoData = syscall.Errno(232)

var systemHangups = []error{syscall.ERROR_BROKEN_PIPE, errNoData, syscall.WSAECONNRESET}
