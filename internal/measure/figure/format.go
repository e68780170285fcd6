package figure

import (
	"fmt"
	"strings"
	"time"
)

// Time formats nanoseconds, as in 9.3 µs.
func Time(ns float64) string {
	switch d := time.Duration(ns); {
	case d < time.Millisecond:
		return Digits(ns/1e3) + " µs"
	case d < time.Second:
		return Digits(ns/1e6) + " ms"
	default:
		return Digits(ns/1e9) + " s"
	}
}

// Bytes formats a number of bytes in megabytes (10⁶ bytes).
func Bytes(n float64) string { return Digits(n/1e6) + " MB" }

// Count formats a number with spaces between groups of thousands.
func Count(n float64) string {
	if n == 0 {
		return "0"
	}
	if n < 100 {
		return Digits(n)
	}
	text := fmt.Sprintf("%.0f", n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + " " + text[i:]
	}
	return text
}

// Ratio formats a multiple, as in 2.4×.
func Ratio(x float64) string { return Digits(x) + "×" }

// Digits formats a number with about three digits.
func Digits(x float64) string {
	switch {
	case x < 1:
		return fmt.Sprintf("%.2f", x)
	case x < 10:
		return strings.TrimSuffix(fmt.Sprintf("%.1f", x), ".0")
	default:
		return fmt.Sprintf("%.0f", x)
	}
}
