package contain_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	goruntime "runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/internal/contain"
)

// pipe is a handler whose output is read by whoever receives from it.
type pipe chan string

func (pipe) Enabled(context.Context, slog.Level) bool { return true }
func (p pipe) WithAttrs([]slog.Attr) slog.Handler     { return p }
func (p pipe) WithGroup(string) slog.Handler          { return p }

func (p pipe) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += " " + a.String()
		return true
	})
	p <- text
	return nil
}

// read returns what is written until nothing is for a second.
func (p pipe) read() (lines []string) {
	for {
		select {
		case line := <-p:
			lines = append(lines, line)
		case <-time.After(time.Second):
			return lines
		}
	}
}

// TestBlockedHandler: who logs to a handler that blocks waits for it once and not for long. What it could not take is
// there in order when it goes on, as far as it was kept, and the rest is counted.
func TestBlockedHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		begin := time.Now()
		const records = 3000
		long := strings.Repeat("x", 1000)
		for i := range records {
			log.Info(fmt.Sprint(i), "long", long)
		}
		if took := time.Since(begin); took > time.Second {
			t.Errorf("logging took %v", took)
		}
		lines := out.read()
		if n := len(lines); n < 500 || n > 1100 {
			t.Fatalf("%d records were kept, want about 1 MiB of them", n)
		}
		for i, line := range lines[:len(lines)-1] {
			if !strings.HasPrefix(line, fmt.Sprint(i, " ")) {
				t.Fatalf("record %d is %.20q", i, line)
			}
		}
		want := fmt.Sprintf("log records dropped: the handler blocked dropped=%d", records-len(lines)+1)
		if got := lines[len(lines)-1]; got != want {
			t.Errorf("the last record is %q, want %q", got, want)
		}
		// It is as before now: who logs waits until the record is handled.
		read := make(chan string, 1)
		go func() {
			time.Sleep(time.Millisecond)
			read <- <-out
		}()
		log.Info("again")
		synctest.Wait()
		select {
		case got := <-read:
			if got != "again" {
				t.Errorf("read %q", got)
			}
		default:
			t.Error("logging has returned before the record was handled")
		}
	})
}

// TestBlockedHandlerKeepsNoValues: a record is not kept when its values may change.
func TestBlockedHandlerKeepsNoValues(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		log.Info("taken")
		log.Info("pointer", "p", &struct{}{})
		log.Info("group", slog.Group("g", slog.Any("p", []int{1})))
		log.Info("error", "err", context.Canceled)
		want := []string{"taken", "error err=context canceled", "log records dropped: the handler blocked dropped=2"}
		if got := out.read(); !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
	})
}

// TestFlush: what is left at the end is waited for, but not for ever.
func TestFlush(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		log.Info("a")
		log.Info("b")
		begin := time.Now()
		contain.Flush(log, time.Minute/2)
		if took := time.Since(begin); took != time.Minute/2 {
			t.Errorf("it has waited %v for a handler that blocks", took)
		}
		go func() {
			time.Sleep(time.Second)
			<-out
			<-out
		}()
		begin = time.Now()
		contain.Flush(log, time.Minute)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it has waited %v, want 1s", took)
		}
		contain.Flush(log, time.Minute) // returns at once
		contain.Flush(slog.New(out), time.Minute)
		if took := time.Since(begin); took != time.Second {
			t.Errorf("it has waited for nothing, until %v", took)
		}
	})
}

// TestKeptRecords: what is kept while the handler blocks counts with the texts of errors.
func TestKeptRecords(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		log.Info("taken")
		large := errors.New(strings.Repeat("x", 100_000))
		for range 20 {
			log.Error("failed", "err", large)
		}
		if lines := out.read(); len(lines) < 11 || len(lines) > 13 {
			t.Errorf("%d records of 100 kB were kept, want about 1 MiB", len(lines)-2)
		}
		contain.Flush(log, time.Minute)
	})
}

// TestSlowHandler: a handler that is slow with each record holds nobody up for long that logs among many.
func TestSlowHandler(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		var wg sync.WaitGroup
		begin := time.Now()
		for range 100 {
			wg.Go(func() { log.Info("x") })
		}
		go func() {
			for range 100 {
				time.Sleep(90 * time.Millisecond)
				<-out
			}
		}()
		wg.Wait()
		if took := time.Since(begin); took > 300*time.Millisecond {
			t.Errorf("logging took %v", took)
		}
		contain.Flush(log, time.Minute)
	})
}

// exiting is a handler that ends its goroutine.
type exiting struct{ pipe }

func (e exiting) Handle(ctx context.Context, r slog.Record) error {
	switch r.Message {
	case "exit":
		goruntime.Goexit()
	case "panic":
		panic(r.Message)
	}
	return e.pipe.Handle(ctx, r)
}

func TestHandlerThatEndsItsGoroutine(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe, 1)
		log := contain.Logger(slog.New(exiting{out}))
		begin := time.Now()
		log.Info("exit")
		log.Info("on")
		if got := out.read(); !slices.Equal(got, []string{"on"}) || time.Since(begin) != time.Second {
			t.Errorf("read %q after %v", got, time.Since(begin))
		}
	})
}

// together returns a func that returns records with these messages.
func together(messages ...string) func() []contain.Record {
	var records []contain.Record
	for _, m := range messages {
		records = append(records, contain.Record{Context: context.Background(), Record: slog.NewRecord(time.Now(), slog.LevelInfo, m, 0)})
	}
	return func() []contain.Record { return records }
}

// TestHandleAll: the handler gets the records in order, and the caller continues when it has handled the last one.
func TestHandleAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		var messages []string
		for i := range 100 {
			messages = append(messages, fmt.Sprint(i))
		}
		returned := make(chan struct{})
		go func() {
			defer close(returned)
			if err := contain.HandleAll(log, together(messages...)); err != nil {
				t.Error(err)
			}
		}()
		for i, want := range messages {
			synctest.Wait()
			select {
			case <-returned:
				t.Fatalf("HandleAll has returned before record %d was handled", i)
			case got := <-out:
				if got != want {
					t.Errorf("record %d is %q", i, got)
				}
			}
		}
		<-returned
	})
}

// TestHandleAllBlocks: of several records that are handled together, each is kept or dropped as if it were the only one.
func TestHandleAllBlocks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		begin := time.Now()
		if err := contain.HandleAll(log, together("a", "b")); err != nil { // waits until the handler counts as blocked
			t.Error(err)
		}
		if took := time.Since(begin); took == 0 || took > 200*time.Millisecond {
			t.Errorf("HandleAll took %v", took)
		}
		begin = time.Now()
		changing := together("c", "d", "e")
		changing()[1].AddAttrs(slog.Any("p", &struct{}{}))
		if err := contain.HandleAll(log, changing); err == nil || time.Since(begin) > 0 {
			t.Errorf("a record was dropped: %v, after %v", err, time.Since(begin))
		}
		want := []string{"a", "b", "c", "e", "log records dropped: the handler blocked dropped=1"}
		if got := out.read(); !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
	})
}

// TestHandleAllPanics: a record at which the handler panics, or ends its goroutine, is lost, and the others are not.
func TestHandleAllPanics(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe, 10)
		log := contain.Logger(slog.New(exiting{out}))
		if err := contain.HandleAll(log, together("a", "panic", "b", "exit", "c")); err == nil {
			t.Error("want an error")
		}
		if got := out.read(); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("read %q", got)
		}
	})
}

// TestHandleHere: if the handler blocks, so does the goroutine that calls it, but other callers wait no longer than always.
func TestHandleHere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(out))
		handled := make(chan bool)
		go func() { handled <- contain.HandleHere(log, together("a", "b")) }()
		synctest.Wait()
		if contain.HandleHere(log, together("x")) {
			t.Error("handled, while others are")
		}
		begin := time.Now()
		log.Info("c")
		if took := time.Since(begin); took == 0 || took > 200*time.Millisecond {
			t.Errorf("another record took %v", took)
		}
		go func() { <-handled }()
		if got := out.read(); !slices.Equal(got, []string{"a", "b", "c"}) {
			t.Errorf("read %q", got)
		}
		go func() { handled <- contain.HandleHere(log, together("d")) }()
		if got := out.read(); !slices.Equal(got, []string{"d"}) || !<-handled {
			t.Errorf("read %q, want d, handled here", got)
		}
	})
}

// TestFlushSeesTakenRecords: whoever finds that records were taken elsewhere, and flushes the log, waits for them.
func TestFlushSeesTakenRecords(t *testing.T) {
	t.Parallel()
	for name, handle := range map[string]func(*slog.Logger, func() []contain.Record){
		"all":  func(l *slog.Logger, take func() []contain.Record) { _ = contain.HandleAll(l, take) },
		"here": func(l *slog.Logger, take func() []contain.Record) { contain.HandleHere(l, take) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := make(pipe, 1)
			log := contain.Logger(slog.New(out))
			handled := make(chan int, 1)
			handle(log, func() []contain.Record {
				begun := make(chan struct{})
				go func() {
					close(begun)
					contain.Flush(log, time.Minute)
					handled <- len(out)
				}()
				<-begun
				time.Sleep(20 * time.Millisecond) // it has flushed by now if it can
				return together("a")()
			})
			if n := <-handled; n != 1 {
				t.Error("Flush has returned before the record was handled")
			}
		})
	}
}

// TestShared: records with shared attributes are handled as if they were their own, also while the handler blocks.
func TestShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		out := make(pipe)
		log := contain.Logger(slog.New(prefixing{pipe: out}))
		long := strings.Repeat("x", 100_000)
		short, large := contain.Share(slog.String("a", "b")), contain.Share(slog.String("large", long))
		records := together("1", "2", "3")()
		records[0].Shared, records[2].Shared = short, short
		go func() { _ = contain.HandleAll(log, func() []contain.Record { return records }) }()
		if got, want := out.read(), []string{"a=b 1", "2", "a=b 3"}; !slices.Equal(got, want) {
			t.Errorf("read %q, want %q", got, want)
		}
		many := together(strings.Split(strings.Repeat("x ", 50), " ")...)()
		for i := range many {
			many[i].Shared = large
		}
		_ = contain.HandleAll(log, func() []contain.Record { return many })
		if n := len(out.read()); n < 10 || n > 13 {
			t.Errorf("%d records of 100 kB were kept, want about 1 MiB", n)
		}
	})
}

// prefixing is a handler that writes the attributes of WithAttrs in front.
type prefixing struct {
	pipe
	prefix string
}

func (p prefixing) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		p.prefix += a.String() + " "
	}
	return p
}

func (p prefixing) Handle(_ context.Context, r slog.Record) error {
	p.pipe <- p.prefix + r.Message
	return nil
}
