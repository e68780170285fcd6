package stdio

import (
	"io"
	"os"
	"syscall"
)

// watchInputEnd returns a channel that is closed when the other end of in is closed, even if data before the end was
// not read yet; a Read would report the end only after that. The channel is nil if in cannot be watched. stop ends the
// watch.
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
	// With a non-blocking descriptor the wait uses Go's network poller, so it occupies a goroutine but not a thread.
	err = syscall.SetNonblock(fd, true)
	watch := os.NewFile(uintptr(fd), "end of input")
	add := input.Control(func(of uintptr) {
		if err == nil { // EPOLLRDHUP is for sockets; EPOLLHUP, for pipes, is always reported
			err = syscall.EpollCtl(fd, syscall.EPOLL_CTL_ADD, int(of), &syscall.EpollEvent{Events: syscall.EPOLLRDHUP})
		}
	})
	events, unusable := watch.SyscallConn()
	if err != nil || add != nil || unusable != nil { // for example a regular file
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
