package wire

import (
	"log/slog"
	"testing"
)

func TestLogLevels(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		slog slog.Level
		want string
	}{
		{slog.LevelDebug - 4, "debug"},
		{slog.LevelDebug, "debug"},
		{slog.LevelInfo - 1, "debug"},
		{slog.LevelInfo, "info"},
		{slog.LevelInfo + 1, "info"},
		{slog.LevelInfo + 2, "notice"},
		{slog.LevelWarn, "warning"},
		{slog.LevelError - 1, "warning"},
		{slog.LevelError, "error"},
		{slog.LevelError + 3, "error"},
		{slog.LevelError + 4, "critical"},
		{slog.LevelError + 8, "alert"},
		{slog.LevelError + 12, "emergency"},
		{slog.LevelError + 1<<40, "emergency"},
	} {
		if got := LogLevelOf(test.slog); got.String() != test.want {
			t.Errorf("LogLevelOf(%d) = %s, want %s", test.slog, got, test.want)
		}
		if ParseLogLevel([]byte(`"`+test.want+`"`)).String() != test.want {
			t.Errorf("ParseLogLevel(%q) fails", test.want)
		}
	}
	for _, raw := range []string{`""`, `"loud"`, `"INFO"`, `null`, `7`, ``} {
		if got := ParseLogLevel([]byte(raw)); got != NoLogLevel {
			t.Errorf("ParseLogLevel(%s) = %s, want NoLogLevel", raw, got)
		}
	}
}
