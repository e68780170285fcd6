//go:build unix

package client

import (
	"os"
	"os/exec"
	"syscall"
)

// ownGroup makes cmd the first of a group of processes, which can be ended together.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// termGroup asks a process and what it has started to end.
func termGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // it may have ended

// killGroup ends a process and what it has started.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) } // it may have ended
