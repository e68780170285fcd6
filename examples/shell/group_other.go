//go:build !unix

package main

import "os/exec"

// Without process groups, only the command itself ends with its context.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
