// Package bytesize formats numbers of bytes for people.
package bytesize

import "fmt"

// Text returns a number of bytes in the largest unit that fits, such as "100 bytes", "3.9 KiB" or "16.0 MiB".
func Text(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1<<10:
		return fmt.Sprintf("%d bytes", n)
	case n < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	default:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
}
