package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// show is the demonstration with its output.
type show struct {
	out       io.Writer
	began     time.Time
	instances *fleet
	book      *book

	longest time.Duration // maximum time before an order continued in another instance
}

// printf prints, ignoring errors.
func (s *show) printf(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format, args...) }

// event prints a line with its time.
func (s *show) event(format string, args ...any) {
	s.printf("%6.1f s  %s\n", time.Since(s.began).Seconds(), fmt.Sprintf(format, args...))
}

// orders lets the customers order while instances stop and restart, and returns when all orders have ended.
func (s *show) orders(ctx context.Context, shop *shop, o options) error {
	var all sync.WaitGroup
	for n := range o.customers {
		all.Go(func() { shop.customer(ctx, n) })
	}
	err := s.faults(ctx, o.kills)
	s.book.close()
	all.Wait()
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return err
}

// faults kills one instance after the other, and shuts one down.
func (s *show) faults(ctx context.Context, kills int) error {
	for n := range kills {
		if err := s.fault(ctx, n%size, "is killed", func(i *testbed.Instance) error {
			i.Kill()
			return nil
		}); err != nil {
			return err
		}
	}
	return s.fault(ctx, kills%size, "gets SIGTERM", (*testbed.Instance).Stop)
}

// fault stops an instance that runs some orders, waits until the others run those, and restarts the instance. So only
// one instance at a time is missing: the cluster needs two of three nodes.
func (s *show) fault(ctx context.Context, i int, what string, end func(*testbed.Instance) error) error {
	const some = 2
	before := s.book.endedOrders()
	err := s.await(ctx, func() bool { return s.book.endedOrders() >= before+some && s.book.unlabelled(i) >= some })
	if err != nil {
		return fmt.Errorf("instance %d got no orders: %w", i+1, err)
	}
	began, left := time.Now(), s.book.at(i)
	s.event("instance %d %s", i+1, what)
	if err := end(s.instances.instances[i]); err != nil {
		return fmt.Errorf("instance %d did not shut down cleanly: %w", i+1, err)
	}
	if err := s.await(ctx, func() bool { return len(s.book.at(i)) == 0 }); err != nil {
		return fmt.Errorf("orders of instance %d did not continue: %w", i+1, err)
	}
	s.wentOn(i, left, began)
	if err := s.instances.restart(ctx, i); err != nil {
		return err
	}
	s.event("instance %d is back", i+1)
	return nil
}

// await waits for a change of the book, for a limited time: the election of a leader in the cluster takes up to 10 s.
func (s *show) await(ctx context.Context, holds func() bool) error {
	const most = 45 * time.Second
	ctx, cancel := context.WithTimeoutCause(ctx, most, fmt.Errorf("waited %v", most))
	defer cancel()
	return s.book.await(ctx, holds)
}

// wentOn prints in which instances the orders of a stopped instance have continued, and after how long.
func (s *show) wentOn(i int, left []*order, since time.Time) {
	at, ended := make([]int, size), 0
	var wait time.Duration
	s.book.read(func() {
		for _, o := range left {
			n := slices.IndexFunc(o.runs, func(r orderRun) bool { return r.instance != i && r.began.After(since) })
			if n < 0 {
				ended++ // even if its customer did not know yet
				continue
			}
			at[o.runs[n].instance]++
			wait = max(wait, o.runs[n].began.Sub(since))
		}
	})
	s.longest = max(s.longest, wait)
	next, last := (i+1)%size, (i+2)%size
	s.event("of its orders, %d ended there, %d continue in instance %d, %d in instance %d, after at most %.1f s",
		ended, at[next], next+1, at[last], last+1, wait.Seconds())
}

// table prints the outcome of the orders. The error describes broken guarantees.
func (s *show) table() error {
	var begun, right, failed, lost, again, changed, reopened, labels, repeated int
	runs := make([]int, size)
	var wrong []error
	s.book.read(func() {
		repeated = s.book.repeated
		for reference, o := range s.book.orders {
			if !o.begun {
				continue
			}
			begun++
			switch {
			case o.lost || !o.ended:
				lost++
			case o.err != nil:
				failed++
			default:
				right++
			}
			if o.err != nil {
				wrong = append(wrong, fmt.Errorf("order %s: %w", reference, o.err))
			}
			for _, r := range o.runs {
				runs[r.instance]++
			}
			if len(o.runs) > 1 {
				again++
			}
			labels += max(0, o.labels-1)
			reopened += o.reopened
			if o.changed {
				changed++
			}
		}
	})
	s.printf("\n")
	s.row("orders begun", begun)
	s.row("ended with the correct result", right)
	s.row("failed", failed)
	s.row("lost", lost)
	s.row("orders with a changed number", changed)
	s.row("answers lost", reopened)
	s.row("orders that ran more than once", again)
	s.row("runs in the instances 1, 2 and 3", runs...)
	s.row("labels printed again", labels)
	s.row("requests sent again", repeated)
	s.printf("%-36s%8.1f s\n", "longest wait until an order continued", s.longest.Seconds())
	if right != begun || changed+reopened > 0 {
		wrong = append(wrong, errors.New("not all orders ended as expected"))
	}
	return errors.Join(wrong...)
}

// row prints a row of the table.
func (s *show) row(name string, counts ...int) {
	s.printf("%-36s", name)
	for _, n := range counts {
		s.printf("%8d", n)
	}
	s.printf("\n")
}
