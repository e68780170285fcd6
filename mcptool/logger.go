package mcptool

import (
	"context"
	"log/slog"
)

var discard = slog.New(slog.DiscardHandler)

// Logger returns a logger for the running call. Its records are sent to the client, if they have at least the level
// that the client has set, and to the server's own log. Without a server they go to [slog.Default]. The logger is never nil
// and is safe for concurrent use. Do not log secrets: the client can read the records.
func Logger(ctx context.Context) *slog.Logger {
	h := hostOf(ctx)
	if h == nil {
		return slog.Default()
	}
	if handler := h.LogHandler(); handler != nil {
		return slog.New(handler)
	}
	return discard
}
