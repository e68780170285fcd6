package runtime

import (
	"log/slog"

	"github.com/mcptool-go/mcptool/mcptool"
)

// callerHost is the host of package mcptool for code of the program that runs for a caller, but not in a call. It has no
// client.
type callerHost struct {
	info func() mcptool.CallInfo
	log  slog.Handler
}

// CallInfo implements host of package mcptool, like the methods below.
func (h *callerHost) CallInfo() mcptool.CallInfo { return h.info() }

func (h *callerHost) Progress(float64, float64, string) {}

func (h *callerHost) LogHandler() slog.Handler { return h.log }
