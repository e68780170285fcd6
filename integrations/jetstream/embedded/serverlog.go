package embedded

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Lines of an embedded server that differ only in numbers are alike. Of these, mostAlike are logged per logPeriod,
// since a node rejected by others retries continuously.
const (
	mostAlike = 5
	logPeriod = time.Minute
)

// Log messages of the server about conditions with no other API.
const (
	duplicateName = "Remote server has a duplicate name" // another node has the name of this one
	writeError    = "ritical write error"                // a stream rejects messages
	noSpace       = "no space left on device"            // something was not stored
)

// serverLog passes warnings and errors of an embedded server to a logger.
type serverLog struct {
	log *slog.Logger

	duplicate   atomic.Bool // another node has the name of this one
	writeFailed atomic.Bool // something could not be written

	mu      sync.Mutex
	began   time.Time      // start of the period
	alike   map[string]int // number of lines in the period, by text without numbers
	leftOut int            // number of lines not logged in the period
}

func (l *serverLog) write(level slog.Level, format string, values []any) {
	text := fmt.Sprintf(format, values...)
	switch {
	case strings.Contains(text, duplicateName):
		l.duplicate.Store(true)
	case strings.Contains(text, writeError), strings.Contains(text, noSpace):
		l.writeFailed.Store(true)
	}
	logged, leftOut := l.admit(text, time.Now())
	if leftOut > 0 {
		l.log.LogAttrs(context.Background(), slog.LevelWarn, "lines of the NATS server were omitted because similar lines came too often", slog.Int("lines", leftOut))
	}
	if logged {
		l.log.LogAttrs(context.Background(), level, "NATS server", slog.String("text", text))
	}
}

// admit reports whether to log a line, and how many lines were left out in the period that has just ended.
func (l *serverLog) admit(text string, now time.Time) (logged bool, leftOut int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.alike == nil || now.Sub(l.began) >= logPeriod {
		leftOut = l.leftOut
		l.began, l.alike, l.leftOut = now, map[string]int{}, 0
	}
	text = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, text)
	l.alike[text]++
	if l.alike[text] > mostAlike {
		l.leftOut++
		return false, leftOut
	}
	return true, leftOut
}

// Noticef implements the Logger of the NATS server. Notices are about regular starts and stops.
func (l *serverLog) Noticef(format string, values ...any) { l.write(slog.LevelDebug, format, values) }

// Warnf implements the Logger of the NATS server.
func (l *serverLog) Warnf(format string, values ...any) { l.write(slog.LevelWarn, format, values) }

// Errorf implements the Logger of the NATS server.
func (l *serverLog) Errorf(format string, values ...any) { l.write(slog.LevelError, format, values) }

// Fatalf implements the Logger of the NATS server. It does not exit: [Open] returns an error.
func (l *serverLog) Fatalf(format string, values ...any) { l.write(slog.LevelError, format, values) }

// Debugf implements the Logger of the NATS server.
func (l *serverLog) Debugf(string, ...any) {}

// Tracef implements the Logger of the NATS server.
func (l *serverLog) Tracef(string, ...any) {}
