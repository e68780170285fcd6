package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
	"time"
)

// resetPeak resets the peak memory in the kernel, and returns the number of resident bytes.
func resetPeak() (resident int, err error) {
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return 0, err
	}
	return status("VmRSS")
}

// peakResident returns the peak number of resident bytes since resetPeak.
func peakResident() (int, error) { return status("VmHWM") }

// status returns a field of /proc/self/status, converted from kB to bytes.
func status(name string) (int, error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, ok := bytes.Cut(text, []byte("\n"+name+":"))
	var kilobytes int
	if _, err := fmt.Sscanf(string(rest), "%d kB", &kilobytes); !ok || err != nil {
		return 0, fmt.Errorf("/proc/self/status has no %s: %w", name, err)
	}
	return kilobytes << 10, nil
}

// processTime returns the CPU time of the process.
func processTime() (time.Duration, error) {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0, err
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano()), nil
}

// limitData limits the writable memory of the process, in bytes.
func limitData(most uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{Cur: most, Max: most})
}
