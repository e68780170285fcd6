//go:build !unix

package client

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func termGroup(p *os.Process) { _ = p.Kill() } // the only way to stop a process here; it may have exited

func killGroup(p *os.Process) { _ = p.Kill() } // it may have exited
