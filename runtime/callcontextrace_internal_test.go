package runtime

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/internal/private"
)

// TestPlacesCtxRace uses the context of a call in several goroutines, for the race detector.
func TestPlacesCtxRace(t *testing.T) {
	t.Parallel()
	for i := range 3000 {
		parent, stop := context.WithCancelCause(context.Background())
		shut, stopShut := context.WithCancel(context.Background())
		p := parents{ctx: parent}
		if i%2 == 0 {
			p = parents{ctx: parent, shut: shut}
		}
		limits := &toolLimits{timeout: &private.TimeoutError{Limit: time.Duration(i%50) * time.Microsecond}}
		c := &call{from: &origin{parents: p}, target: &toolState{limits: limits}}
		var wg sync.WaitGroup
		why := errors.New("why")
		wg.Go(func() { <-c.Done() })
		wg.Go(func() { c.end(why) })
		wg.Go(func() {
			ctx, cancel := context.WithTimeout(c, time.Minute)
			defer cancel()
			<-ctx.Done()
			_ = context.Cause(ctx)
			_ = c.Err()
		})
		wg.Go(func() { stop(errors.New("parent")) })
		wg.Go(func() { time.Sleep(time.Duration(i%7) * time.Microsecond); c.end(nil) })
		if i%3 == 0 {
			wg.Go(func() { stopShut() })
		}
		wg.Wait()
		if c.Err() == nil || context.Cause(c) == nil {
			t.Fatal("the context has not ended")
		}
		stopShut()
	}
}
