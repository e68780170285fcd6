//go:build !unix

package cobratools

import "os/exec"

// Without process groups, the end of the context kills only the command itself.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
