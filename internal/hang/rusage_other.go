//go:build !unix

package hang

import "time"

// ProcessorTime is not known here: only what waits for ever is found.
func ProcessorTime() time.Duration { return 0 }
