package jetstream

import (
	"context"
	"fmt"
	"log/slog"
)

// serverLog passes warnings and errors of an embedded server to a logger.
type serverLog struct{ log *slog.Logger }

func (l *serverLog) write(level slog.Level, format string, values []any) {
	l.log.LogAttrs(context.Background(), level, "NATS server", slog.String("text", fmt.Sprintf(format, values...)))
}

// Noticef implements the Logger of the NATS server. Notices are those of a server that starts and stops as it should.
func (l *serverLog) Noticef(format string, values ...any) { l.write(slog.LevelDebug, format, values) }

// Warnf implements the Logger of the NATS server.
func (l *serverLog) Warnf(format string, values ...any) { l.write(slog.LevelWarn, format, values) }

// Errorf implements the Logger of the NATS server.
func (l *serverLog) Errorf(format string, values ...any) { l.write(slog.LevelError, format, values) }

// Fatalf implements the Logger of the NATS server. It does not end the process: [Embedded] returns an error.
func (l *serverLog) Fatalf(format string, values ...any) { l.write(slog.LevelError, format, values) }

// Debugf implements the Logger of the NATS server.
func (l *serverLog) Debugf(string, ...any) {}

// Tracef implements the Logger of the NATS server.
func (l *serverLog) Tracef(string, ...any) {}
