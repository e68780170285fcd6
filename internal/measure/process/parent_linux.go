package process

import "syscall"

// endWithParent makes the kernel kill a process when the thread that has started it ends. Threads of Go programs end with
// the process, except those of goroutines that end while they are locked to a thread, which the users of this package do
// not have.
func endWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGKILL }
