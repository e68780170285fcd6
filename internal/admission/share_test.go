package admission_test

import (
	"errors"
	"strconv"
	"sync"
	"testing"

	"github.com/mcptool-go/mcptool/internal/admission"
)

func inNoTenant(principal string) admission.Caller { return admission.PrincipalCaller("", principal) }

func TestShare(t *testing.T) {
	t.Parallel()
	c, caller, trusted := admission.NewShare(10, 6), inNoTenant, admission.Trusted
	for _, step := range []struct {
		what  string
		do    func() error
		want  error
		taken int
	}{
		{"within the share", func() error { return c.Take(caller("a"), 6, admission.Within) }, nil, 6},
		{"beyond the share", func() error { return c.Take(caller("a"), 1, admission.Within) }, admission.ErrShare, 6},
		{"another caller", func() error { return c.Take(caller("b"), 4, admission.Within) }, nil, 10},
		{"beyond the total", func() error { return c.Take(caller("b"), 1, admission.Within) }, admission.ErrTotal, 10},
		{"beyond the total, without a share", func() error { return c.Take(trusted, 1, admission.Within) }, admission.ErrTotal, 10},
		{"forced, of which 3 are beyond the share", func() error { return c.Take(caller("b"), 5, admission.Always) }, nil, 12},
		{"overdrawn although the share is used up", func() error { return c.Take(caller("b"), 1, admission.Overdraft) }, admission.ErrShare, 12},
		{"overdrawn although the total is used up", func() error { return c.Take(caller("c"), 1, admission.Overdraft) }, admission.ErrTotal, 12},
		{"after a part was given back", func() error { c.Give(caller("b"), 5); return c.Take(caller("c"), 1, admission.Within) }, admission.ErrTotal, 10},
		{"after a share was given back", func() error { c.Give(caller("a"), 6); return c.Take(caller("c"), 1, admission.Spare) }, nil, 5},
		{"more than half the total to spare", func() error { return c.Take(caller("d"), 1, admission.Spare) }, admission.ErrTotal, 5},
		{"more than half the share to spare", func() error { return c.Take(caller("b"), 1, admission.Spare) }, admission.ErrShare, 5},
		{"without a share", func() error { return c.Take(trusted, 5, admission.Within) }, nil, 10},
		{"all given back", func() error { c.Give(trusted, 5); c.Give(caller("b"), 4); c.Give(caller("c"), 1); return nil }, nil, 0},
		{"overdrawn", func() error { return c.Take(caller("a"), 60, admission.Overdraft) }, nil, 6},
		{"overdrawn twice", func() error { return c.Take(caller("a"), 1, admission.Overdraft) }, admission.ErrShare, 6},
		{"what was overdrawn given back", func() error { c.Give(caller("a"), 57); return nil }, nil, 3},
		{"the rest of the share", func() error { return c.Take(caller("a"), 3, admission.Within) }, nil, 6},
	} {
		if err := step.do(); !errors.Is(err, step.want) {
			t.Errorf("%s: %v, want %v", step.what, err, step.want)
		}
		if got := c.Taken(); got != step.taken {
			t.Errorf("%s: %d are taken, want %d", step.what, got, step.taken)
		}
	}
}

// TestShareTogether checks that after many concurrent calls of Take and Give everything is available again.
func TestShareTogether(t *testing.T) {
	t.Parallel()
	c, caller := admission.NewShare(100, 30), inNoTenant
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 10_000 {
				if c.Take(caller(strconv.Itoa(i%4)), n%40, admission.Within) == nil {
					if total, _ := c.Limits(); c.Taken() > total {
						t.Errorf("%d are taken", c.Taken())
					}
					c.Give(caller(strconv.Itoa(i%4)), n%40)
				}
			}
		})
	}
	wg.Wait()
	if c.Taken() != 0 {
		t.Errorf("%d are taken in the end", c.Taken())
	}
}
