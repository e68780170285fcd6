package stdio

import (
	"os"
	"syscall"
)

// watchParent returns a func that reports whether the process that started this one has ended. The func is nil if the
// process had already ended, or cannot be opened. On Windows an orphan keeps the id of its parent, which a new process
// may get; such a process is younger than this one.
func watchParent() (ended func() bool, stop func()) {
	const queryLimitedInformation = 0x1000
	parent, err := syscall.OpenProcess(syscall.SYNCHRONIZE|queryLimitedInformation, false, uint32(os.Getppid()))
	if err != nil {
		return nil, func() {}
	}
	stop = func() { _ = syscall.CloseHandle(parent) }
	self, err := syscall.GetCurrentProcess()
	if err != nil || startTime(parent) > startTime(self) {
		return nil, stop
	}
	return func() bool {
		event, err := syscall.WaitForSingleObject(parent, 0)
		return err == nil && event == syscall.WAIT_OBJECT_0
	}, stop
}

// startTime returns when a process was created, in nanoseconds since 1970, or 0 if that is unknown.
func startTime(process syscall.Handle) int64 {
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return created.Nanoseconds()
}
