package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/mcptool-go/mcptool/internal/lab/testbed"
)

// show is the demonstration with its output.
type show struct {
	out                io.Writer
	client             *connection
	instances          []*testbed.Instance
	connections, calls int
}

// printf prints, ignoring errors.
func (s *show) printf(format string, args ...any) { _, _ = fmt.Fprintf(s.out, format, args...) }

func (s *show) all(ctx context.Context) error {
	s.printf("%-34s", "correct answers by instance")
	for i := range s.instances {
		s.printf("%8d", i+1)
	}
	s.printf("%8s\n", "wrong")
	if err := s.row("calls", s.client.load(ctx, s.connections, s.calls, func() {})); err != nil {
		return err
	}
	watching, err := s.change(ctx)
	if err != nil {
		return err
	}
	if err := s.leave(ctx, watching); err != nil {
		return err
	}
	return s.progress(ctx)
}

// row prints the outcome of many calls.
func (s *show) row(name string, t *tally) error {
	s.printf("%-34s", fmt.Sprintf("%d %s", t.calls(), name))
	for _, i := range s.instances {
		s.printf("%8d", t.served[i.Addr])
	}
	s.printf("%8d\n", t.wrong)
	return t.err
}

// change subscribes, and changes the tools of every instance, since instances do not communicate.
func (s *show) change(ctx context.Context) (*subscription, error) {
	w, err := s.client.subscribe(ctx)
	if err != nil {
		return nil, err
	}
	left := testbed.Addrs(s.instances)
	for range len(left) {
		served, err := s.client.call(ctx, "offer", map[string]any{"offered": true}, nil)
		if err != nil {
			return nil, err
		}
		left = slices.DeleteFunc(left, func(addr string) bool { return addr == served })
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("consecutive calls did not reach %v", left)
	}
	method, err := w.next(ctx)
	if err == nil && method != "notifications/tools/list_changed" {
		err = fmt.Errorf("got notification %q", method)
	}
	return w, err
}

// leave stops the instance with the subscription during calls, and subscribes again.
func (s *show) leave(ctx context.Context, w *subscription) error {
	leaver := slices.Index(testbed.Addrs(s.instances), w.instance)
	var stopped error
	t := s.client.load(ctx, s.connections, s.calls, func() { stopped = s.instances[leaver].Stop() })
	if err := errors.Join(s.row(fmt.Sprintf("calls, instance %d stops", leaver+1), t), stopped); err != nil {
		return err
	}
	for {
		_, err := w.next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	again, err := s.client.subscribe(ctx)
	if err != nil {
		return err
	}
	s.printf("\na subscriber at instance %d received a change and the end of its stream; it now listens at instance %d\n",
		leaver+1, slices.Index(testbed.Addrs(s.instances), again.instance)+1)
	return nil
}

// progress shows that progress arrives when it is reported.
func (s *show) progress(ctx context.Context) error {
	const steps = 5
	var got struct{ Counted int }
	if _, err := s.client.call(ctx, "count", map[string]any{"to": steps}, &got); err != nil {
		return err
	}
	reports := s.client.reports()
	if len(reports) != steps || got.Counted != steps || reports[0] < (steps-2)*100*time.Millisecond {
		return fmt.Errorf("a call reported %d of %d steps, at these times before its end: %v", len(reports), steps, reports)
	}
	s.printf("a call reported progress %d times while it ran\n", len(reports))
	return nil
}
