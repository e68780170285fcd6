package mcptool

import (
	"context"
	"log/slog"
)

var discard = slog.New(slog.DiscardHandler)

// Logger returns the log of the running call: records go to the client, from the level that the client asks for, and
// to the server's own log. Without a server they are discarded. It is never nil and safe for concurrent use. Log no
// secrets: the client is another party.
func Logger(ctx context.Context) *slog.Logger {
	if h := hostOf(ctx); h != nil {
		if handler := h.LogHandler(); handler != nil {
			return slog.New(handler)
		}
	}
	return discard
}
