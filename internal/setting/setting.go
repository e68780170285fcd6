// Package setting checks the settings of a program, so that all packages report the same mistake in the same words.
package setting

import (
	"fmt"
	"time"
)

// NotNegative returns an error if the value of the setting with this name is negative, nil otherwise. The text zero
// describes what the value 0 does: "means the default, 128".
func NotNegative[N int | int64 | time.Duration](name string, value N, zero string) error {
	if value >= 0 {
		return nil
	}
	return fmt.Errorf("%s is %v, but must not be negative; 0 %s", name, value, zero)
}

// Apply calls apply with each option, and returns an error for each that is nil.
func Apply[Option any](options []Option, apply func(Option)) (mistakes []error) {
	for i, o := range options {
		if any(o) == nil {
			mistakes = append(mistakes, fmt.Errorf("option %d is nil; leave it out", i+1))
			continue
		}
		apply(o)
	}
	return mistakes
}
