package stdio

import (
	"bytes"
	"fmt"
	"log"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is a writer that blocks until read is closed.
type pipe struct {
	read  chan struct{}
	takes time.Duration // for each write
	text  bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error) {
	<-p.read
	time.Sleep(p.takes)
	return p.text.Write(b)
}

// TestStderr: the first record that cannot be written delays the program by 200 ms. Later records are not delayed, and
// those beyond the limit are dropped and counted.
func TestStderr(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{read: make(chan struct{})}
		w := &patientWriter{w: p}
		logger, began := log.New(w, "", 0), time.Now()
		const size, dropped = 1 << 10, 10
		for range maxKept/size + dropped {
			logger.Print(strings.Repeat("x", size-1))
		}
		if took := time.Since(began); took != patience {
			t.Errorf("the records took %v, want %v", took, patience)
		}
		close(p.read)
		synctest.Wait()
		began = time.Now()
		logger.Print("after that")
		if took := time.Since(began); took != 0 || !strings.HasSuffix(p.text.String(), "\nafter that\n") {
			t.Errorf("a record written without blocking took %v, want 0; the log ends with %.40q", took, p.text.String()[max(p.text.Len()-40, 0):])
		}
		lines := strings.Split(p.text.String(), "\n")
		if n := strings.Count(p.text.String(), "x\n"); n != maxKept/size {
			t.Errorf("%d records were kept, want %d", n, maxKept/size)
		}
		want := fmt.Sprint(dropped, " log records dropped: standard error was not read")
		if got := lines[len(lines)-3]; got != want {
			t.Errorf("report = %q, want %q", got, want)
		}
	})
}

// TestStderrLarge: a record larger than the limit is written if no other record waits.
func TestStderrLarge(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := &patientWriter{w: &out}
	_, _ = w.Write(make([]byte, 2*maxKept))
	if w.flush(time.Minute); out.Len() != 2*maxKept {
		t.Errorf("%d bytes were written, want %d", out.Len(), 2*maxKept)
	}
}

// TestStderrBurst: no record is lost if many goroutines write more than the limit to a slow writer.
func TestStderrBurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{read: make(chan struct{}), takes: time.Millisecond}
		close(p.read)
		w := &patientWriter{w: p}
		const records, size = 200, 16 << 10
		var wg sync.WaitGroup
		for range records {
			wg.Go(func() { _, _ = w.Write(bytes.Repeat([]byte("x"), size)) })
		}
		wg.Wait()
		w.flush(time.Minute)
		if p.text.Len() != records*size {
			t.Errorf("%d of %d records were written, and %d other bytes", p.text.Len()/size, records, p.text.Len()%size)
		}
	})
}

// TestStderrFlush: flush waits for a client that does not read, but only until its timeout.
func TestStderrFlush(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pipe{read: make(chan struct{})}
		w := &patientWriter{w: p}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { _, _ = w.Write([]byte("x")) })
		}
		wg.Wait()
		began := time.Now()
		if w.flush(lastWrite); time.Since(began) != lastWrite {
			t.Errorf("flush took %v, want %v", time.Since(began), lastWrite)
		}
		close(p.read)
	})
}

// TestUnblockLog: unblockLog replaces only the default output of package log.
//
//nolint:paralleltest // package log is global
func TestUnblockLog(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(stderr.w) // package testing replaces it
	restore := unblockLog()
	if log.Writer() != Stderr {
		t.Errorf("log.Writer() = %T, want Stderr", log.Writer())
	}
	if restore(); log.Writer() != stderr.w {
		t.Errorf("log.Writer() = %T after restore, want the original", log.Writer())
	}
	own := new(bytes.Buffer)
	log.SetOutput(own)
	defer unblockLog()()
	if log.Writer() != own {
		t.Error("unblockLog replaced the writer set by the program")
	}
}
