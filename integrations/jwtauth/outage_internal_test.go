package jwtauth

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// slowHandler takes an hour for each record.
type slowHandler struct{ slog.Handler }

func (slowHandler) Enabled(context.Context, slog.Level) bool { return true }

func (slowHandler) Handle(context.Context, slog.Record) error {
	time.Sleep(time.Hour)
	return nil
}

// TestOutageLogsWithoutLock: while the handler of the logger takes its time for one report, another one is made.
func TestOutageLogsWithoutLock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		o := &outage{log: slog.New(slowHandler{slog.DiscardHandler})}
		begun := time.Now()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			o.report(errors.New("no connection"))
		}()
		synctest.Wait() // for the handler
		if !o.mu.TryLock() {
			t.Fatal("the handler of the logger is called with the lock")
		}
		o.mu.Unlock()
		<-ended
		if took := time.Since(begun); took != time.Hour {
			t.Errorf("the first report took %v, want an hour: the handler was not called", took)
		}
		if !o.running {
			t.Error("the outage is not recorded")
		}
	})
}
