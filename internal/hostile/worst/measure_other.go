//go:build !linux

package main

import "time"

func resetPeak() (int, error)             { return 0, errNotLinux }
func peakResident() (int, error)          { return 0, errNotLinux }
func processTime() (time.Duration, error) { return 0, errNotLinux }
func limitData(uint64) error              { return errNotLinux }
