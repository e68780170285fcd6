//go:build unix

package client

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup starts cmd in a new process group, so that the whole group can be signaled.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// termGroup sends SIGTERM to a process and its descendants.
func termGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // it may have exited

// killGroup sends SIGKILL to a process and its descendants.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // it may have exited
