//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup makes cmd start in a new process group, so that the whole group can be signaled. On Linux, the process is
// killed when this one ends, even by SIGKILL.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	endWithParent(cmd.SysProcAttr)
}

// TermGroup sends SIGTERM to a process of [OwnGroup] and its descendants.
func TermGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // it may have exited

// KillGroup sends SIGKILL to a process of [OwnGroup] and its descendants.
func KillGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // it may have exited
