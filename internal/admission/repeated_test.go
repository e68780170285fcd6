package admission_test

import (
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/admission"
)

func TestRepeated(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r admission.Repeated
		for i, step := range []struct {
			wait    time.Duration
			level   slog.Level
			skipped int
		}{
			{0, slog.LevelError, 0},
			{0, slog.LevelDebug, 0},
			{time.Minute - 1, slog.LevelDebug, 0},
			{1, slog.LevelError, 2}, // lines at level debug do not extend the interval
			{time.Hour, slog.LevelError, 0},
			{time.Second, slog.LevelDebug, 0},
		} {
			time.Sleep(step.wait)
			if level, skipped := r.Level(); level != step.level || skipped != step.skipped {
				t.Errorf("step %d: got %v, %d; want %v, %d", i, level, skipped, step.level, step.skipped)
			}
		}
	})
}
