package stdio

import (
	"io"
	"os"
	"syscall"
)

// watchInputEnd returns a channel that is closed when the other side of in has closed it, whether what it sent before was
// read or not: a Read tells only when everything before was. The channel is nil if in cannot be watched. The watch
// ends with stop.
func watchInputEnd(in io.Reader) (ended <-chan struct{}, stop func()) {
	stop = func() {}
	conn, ok := in.(syscall.Conn)
	if !ok {
		return nil, stop
	}
	input, err := conn.SyscallConn()
	if err != nil {
		return nil, stop
	}
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, stop
	}
	// It waits as files do whose reads do not block, in the poller of Go: the watch costs a goroutine, not a thread.
	err = syscall.SetNonblock(fd, true)
	watch := os.NewFile(uintptr(fd), "end of input")
	add := input.Control(func(of uintptr) {
		if err == nil { // EPOLLHUP, of a pipe, is always told
			err = syscall.EpollCtl(fd, syscall.EPOLL_CTL_ADD, int(of), &syscall.EpollEvent{Events: syscall.EPOLLRDHUP})
		}
	})
	events, unusable := watch.SyscallConn()
	if err != nil || add != nil || unusable != nil { // a file, say, which has no other side
		_ = watch.Close()
		return nil, stop
	}
	end := make(chan struct{})
	go func() {
		err := events.Read(func(fd uintptr) bool {
			n, _ := syscall.EpollWait(int(fd), make([]syscall.EpollEvent, 1), 0)
			return n > 0
		})
		if err == nil {
			close(end)
		}
	}()
	return end, func() { _ = watch.Close() }
}
