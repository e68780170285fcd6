// Package process reads the CPU time and the memory of a running process, alone or with its descendants, which is
// implemented only on Linux and returns errors elsewhere. It also starts programs that serve stdin and stdout, and stops them
// with their descendants.
package process
