package share_test

import (
	"errors"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/share"
)

func TestCounter(t *testing.T) {
	t.Parallel()
	c := share.New[string](10, 6)
	for _, step := range []struct {
		what  string
		do    func() error
		want  error
		taken int
	}{
		{"within the share", func() error { return c.Take("a", 6) }, nil, 6},
		{"beyond the share", func() error { return c.Take("a", 1) }, share.ErrShare, 6},
		{"another caller", func() error { return c.Take("b", 4) }, nil, 10},
		{"beyond the total", func() error { return c.Take("b", 1) }, share.ErrTotal, 10},
		{"beyond the total, without a share", func() error { return c.TakeUnshared(1) }, share.ErrTotal, 10},
		{"forced, of which 3 are beyond the share", func() error { c.Force("b", 5); return nil }, nil, 12},
		{"overdrawn although the share is used up", func() error { return c.Overdraw("b", 1) }, share.ErrShare, 12},
		{"overdrawn although the total is used up", func() error { return c.Overdraw("c", 1) }, share.ErrTotal, 12},
		{"after a part was given back", func() error { c.Give("b", 5); return c.Take("c", 1) }, share.ErrTotal, 10},
		{"after a share was given back", func() error { c.Give("a", 6); return c.TakeSpare("c", 1) }, nil, 5},
		{"more than half the total to spare", func() error { return c.TakeSpare("d", 1) }, share.ErrTotal, 5},
		{"more than half the share to spare", func() error { return c.TakeSpare("b", 1) }, share.ErrShare, 5},
		{"without a share", func() error { return c.TakeUnshared(5) }, nil, 10},
		{"all given back", func() error { c.ForceUnshared(-5); c.Give("b", 4); c.Give("c", 1); return nil }, nil, 0},
		{"overdrawn", func() error { return c.Overdraw("a", 60) }, nil, 6},
		{"overdrawn twice", func() error { return c.Overdraw("a", 1) }, share.ErrShare, 6},
		{"what was overdrawn given back", func() error { c.Give("a", 57); return nil }, nil, 3},
		{"the rest of the share", func() error { return c.Take("a", 3) }, nil, 6},
	} {
		if err := step.do(); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.what, err, step.want)
		}
		if got := c.Taken(); got != step.taken {
			t.Errorf("%s: %d are taken, want %d", step.what, got, step.taken)
		}
	}
}

// TestCounterTogether checks that after many concurrent calls of Take and Give everything is available again.
func TestCounterTogether(t *testing.T) {
	t.Parallel()
	c := share.New[int](100, 30)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 10_000 {
				if c.Take(i%4, n%40) == nil {
					if total, _ := c.Limits(); c.Taken() > total {
						t.Errorf("%d are taken", c.Taken())
					}
					c.Give(i%4, n%40)
				}
			}
		})
	}
	wg.Wait()
	if c.Taken() != 0 {
		t.Errorf("%d are taken in the end", c.Taken())
	}
}
