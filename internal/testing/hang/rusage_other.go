//go:build !unix

package hang

import "time"

// ProcessorTime is not available here: only an execution that waits forever is
// detected.
func ProcessorTime() time.Duration { return 0 }
