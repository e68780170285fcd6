//go:build !unix

package process

import (
	"os"
	"os/exec"
)

// OwnGroup makes cmd start in a new process group; it does nothing on this system.
func OwnGroup(*exec.Cmd) {}

// TermGroup kills a process, which is the only way to stop one on this system.
func TermGroup(p *os.Process) { _ = p.Kill() } // it may have exited

// KillGroup kills a process.
func KillGroup(p *os.Process) { _ = p.Kill() } // it may have exited
