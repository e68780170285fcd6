// Package process reads the CPU time and the memory of a running process, alone or with its descendants, which is
// implemented only on Linux and returns errors elsewhere, and stops a process with its descendants.
package process
