package client

import "time"

// ProbeTime makes silence at a probe shorter, for all tests of the package.
func ProbeTime(d time.Duration) { probeTime = d }

// MaxMessage makes the largest message smaller, for all tests of the package.
func MaxMessage(bytes int) { maxMessage = bytes }

// HeaderText is text as a header has it.
var HeaderText = headerText
