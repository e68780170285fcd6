package stdio

import "syscall"

// errNoData is ERROR_NO_DATA, the error of writing to a pipe that is being closed.
const errNoData = syscall.Errno(232)

var systemHangups = []error{syscall.ERROR_BROKEN_PIPE, errNoData, syscall.WSAECONNRESET}
