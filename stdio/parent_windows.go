package stdio

import (
	"os"
	"syscall"
)

// watchParent returns a function that reports whether the process that started this one has ended. The function is nil
// if that process had already ended, or cannot be opened. On Windows the parent id of a process does not change when
// the parent ends, and a new process may get that id; such a process is younger than this one.
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

// startTime returns the creation time of a process, in nanoseconds since 1970, 0 if unknown.
func startTime(process syscall.Handle) int64 {
	var created, exited, kernel, user syscall.Filetime
	if syscall.GetProcessTimes(process, &created, &exited, &kernel, &user) != nil {
		return 0
	}
	return created.Nanoseconds()
}
