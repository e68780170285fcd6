// Package process reads the CPU time and the memory of a running process, alone or with its descendants. It is
// implemented only on Linux, and returns errors elsewhere.
package process
