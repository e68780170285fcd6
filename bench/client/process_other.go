//go:build !unix

package client

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func termGroup(p *os.Process) { _ = p.Kill() } // there is nothing gentler; it may have ended

func killGroup(p *os.Process) { _ = p.Kill() } // it may have ended
