package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcptool-go/mcptool/internal/engine"
)

// slowWriter records every Write and blocks each until turn permits it.
type slowWriter struct {
	turn chan struct{} // nil: do not block

	mu     sync.Mutex
	writes []string
	err    error
	short  bool
}

func (s *slowWriter) Write(p []byte) (int, error) {
	if s.turn != nil {
		<-s.turn
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return 0, s.err
	}
	s.writes = append(s.writes, string(p))
	if s.short {
		return len(p) - 1, nil
	}
	return len(p), nil
}

func (s *slowWriter) seen() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.writes...)
}

func mustNotify(t *testing.T, w *writer, msg string) {
	t.Helper()
	if err := w.Notify([]byte(msg)); err != nil {
		t.Errorf("Notify(%.20q) = %v", msg, err)
	}
}

func TestLoneMessageIsWrittenAtOnce(t *testing.T) {
	t.Parallel()
	dst := &slowWriter{}
	w := newWriter(dst)
	mustNotify(t, w, "a")
	mustNotify(t, w, "b")
	if diff := cmp.Diff([]string{"a\n", "b\n"}, dst.seen()); diff != "" {
		t.Errorf("writes after Notify mismatch (-want +got)\n%s", diff)
	}
}

func TestMessagesReadyTogetherShareOneWrite(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dst := &slowWriter{turn: make(chan struct{})}
		w := newWriter(dst)
		go mustNotify(t, w, "first")
		synctest.Wait()
		for _, msg := range []string{"a", "b", "c"} {
			mustNotify(t, w, msg) // does not block: another sender is writing
		}
		close(dst.turn)
		synctest.Wait()
		if diff := cmp.Diff([]string{"first\n", "a\nb\nc\n"}, dst.seen()); diff != "" {
			t.Errorf("writes mismatch (-want +got)\n%s", diff)
		}
	})
}

func TestLargeMessageIsNotTorn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dst := &slowWriter{turn: make(chan struct{})}
		w := newWriter(dst)
		large := strings.Repeat("x", keepPending)
		go mustNotify(t, w, large)
		synctest.Wait()
		mustNotify(t, w, "a")
		close(dst.turn)
		synctest.Wait()
		if diff := cmp.Diff([]string{large + "\n", "a\n"}, dst.seen()); diff != "" {
			t.Errorf("writes mismatch (-want +got)\n%s", diff)
		}
	})
}

func TestSlowReaderHoldsSendersBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dst := &slowWriter{turn: make(chan struct{})}
		w := newWriter(dst)
		msg := strings.Repeat("x", 1<<16)
		const senders = 100
		var all sync.WaitGroup
		for range senders {
			all.Go(func() { mustNotify(t, w, msg) })
		}
		synctest.Wait()
		w.mu.Lock()
		pending := len(w.pending)
		w.mu.Unlock()
		if pending > maxPending+len(msg)+1 {
			t.Errorf("%d bytes pending, want at most %d", pending, maxPending+len(msg)+1)
		}
		close(dst.turn)
		all.Wait()
		if got := len(strings.Join(dst.seen(), "")); got != senders*(len(msg)+1) {
			t.Errorf("%d bytes written, want %d", got, senders*(len(msg)+1))
		}
	})
}

func TestWriteFailure(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		dst := &slowWriter{turn: make(chan struct{}), err: broken}
		w := newWriter(dst)
		errs := make(chan error, 100)
		for range cap(errs) {
			go func() { errs <- w.Notify(bytes.Repeat([]byte("x"), 1<<15)) }()
		}
		synctest.Wait()
		close(dst.turn)
		synctest.Wait()
		if got := len(errs); got != cap(errs) {
			t.Fatalf("%d senders are still blocked", cap(errs)-got)
		}
		close(errs)
		failed := 0
		for err := range errs {
			if errors.Is(err, broken) {
				failed++
			}
		}
		if failed == 0 {
			t.Error("no Notify returned the error of the writer")
		}
		if err := w.Notify([]byte("a")); !errors.Is(err, broken) {
			t.Errorf("Notify after the failure = %v, want %v", err, broken)
		}
		if err := w.close(t.Context()); !errors.Is(err, broken) {
			t.Errorf("close = %v, want %v", err, broken)
		}
	})
}

func TestShortWriteIsAFailure(t *testing.T) {
	t.Parallel()
	w := newWriter(&slowWriter{short: true})
	if err := w.Notify([]byte("abc")); !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("Notify = %v, want %v", err, io.ErrShortWrite)
	}
}

func TestCloseWaitsOnlyAsLongAsItMay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dst := &slowWriter{turn: make(chan struct{})}
		w := newWriter(dst)
		go func() { _ = w.Notify([]byte("stuck")) }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin := time.Now()
		if err := w.close(ctx); err != nil {
			t.Error(err)
		}
		if took := time.Since(begin); took != time.Second {
			t.Errorf("close took %v, want 1s", took)
		}
		if err := w.Notify([]byte("late")); !errors.Is(err, errClosed) {
			t.Errorf("Notify after close = %v, want %v", err, errClosed)
		}
		close(dst.turn)
	})
}

func TestConcurrentSenders(t *testing.T) {
	t.Parallel()
	var dst bytes.Buffer // not safe for concurrent use: -race reports overlapping writes
	w := newWriter(&dst)
	const senders, messages = 8, 500
	var all sync.WaitGroup
	for s := range senders {
		all.Go(func() {
			for m := range messages {
				mustNotify(t, w, fmt.Sprintf("%d %d %s", s, m, strings.Repeat("x", m)))
			}
		})
	}
	all.Wait()
	if err := w.close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var next [senders]int
	for line := range strings.Lines(dst.String()) {
		var s, m int
		var tail string
		if _, err := fmt.Sscan(line+"|", &s, &m, &tail); err != nil {
			t.Fatalf("line %.40q: %v", line, err)
		}
		if m != next[s] || strings.Count(line, "x") != m {
			t.Fatalf("line %.40q, want message %d of sender %d", line, next[s], s)
		}
		next[s]++
	}
	for s, n := range next {
		if n != messages {
			t.Errorf("sender %d: %d messages of %d arrived", s, n, messages)
		}
	}
}

// brokenStream is a stream whose Write does not return.
type brokenStream func()

func (b brokenStream) Write([]byte) (int, error) {
	b()
	return 0, nil
}

// TestBrokenStream: a stream of the program that panics, or ends the goroutine, ends the writer with an error, and not the
// process.
func TestBrokenStream(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		write func()
		want  string
	}{
		{"panic", func() { panic("broken") }, "the stream panicked: broken"},
		{"Goexit", goruntime.Goexit, "the stream has called runtime.Goexit"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWriter(brokenStream(test.write))
			var sender sync.WaitGroup
			sender.Go(func() { _ = w.Notify([]byte("{}")) })
			sender.Wait()
			for name, err := range map[string]error{
				"Notify": w.Notify([]byte("{}")), "Respond": w.Respond([]byte("{}"), engine.End{More: true}), "Flush": w.Flush(),
				"close": w.close(t.Context()),
			} {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("%s = %v, want %s", name, err, test.want)
				}
			}
		})
	}
}
