// Package process reads the CPU time and the memory of a running process, alone or with its descendants. It is
// implemented only on Linux, and returns errors elsewhere.
//
// This package is public because the programs in internal/lab, another module, use it. It may change at any time.
package process
