// Package process reads the processor time and the memory of a running process, alone or with its descendants. On systems
// other than Linux it returns an error.
package process
