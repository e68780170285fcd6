//go:build unix

package stdio_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/stdio"
)

// Clients pipe standard error, and some never read it. When the pipe is full, at 64 KiB, writes to it block.

// fullPipe returns the ends of a full pipe.
func fullPipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close(); writer.Close() })
	for size := 4096; size > 0; size /= 2 {
		for err = nil; err == nil; {
			if err := writer.SetWriteDeadline(time.Now().Add(10 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			_, err = writer.Write(bytes.Repeat([]byte{'x'}, size))
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	return reader, writer
}

// startUnread starts a server whose standard error is a full pipe.
func startUnread(t *testing.T, mode string) (p *process, stderr *os.File) {
	t.Helper()
	stderr, full := fullPipe(t)
	p = newProcess(t, mode)
	p.Stderr = full
	p.start(t)
	full.Close()
	return p, stderr
}

// TestUnreadLog: a log that is not read delays neither reading, answers, cancellation nor the exit. A late reader gets
// the records that were kept.
func TestUnreadLog(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"main", "logger"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			p, stderr := startUnread(t, mode)
			defer p.within(time.Minute)()
			p.write(t, "no message\n")
			if got := readAnswer(t, p.lines); got.Error.Code != -32700 {
				t.Errorf("got answer %+v, want code -32700", got)
			}
			for id, tool := range map[int]string{1: "explode", 2: "note"} {
				p.write(t, call(id, tool, `{}`))
				if got := readAnswer(t, p.lines); got.ID != id {
					t.Errorf("got answer %+v, want ID %d", got, id)
				}
			}
			for range 300 { // more than the limit of concurrent calls
				p.write(t, call(3, "note", `{}`))
				if got := readAnswer(t, p.lines).text(); got != "noted" {
					t.Errorf("result = %q, want \"noted\"", got)
				}
			}
			p.write(t, call(4, "sleep", `{"millis":600000}`))
			p.write(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":4}}`+"\n")
			p.ready(t)
			p.in.Close()
			begin := time.Now()
			p.end(t, stdio.DefaultGrace+slack)
			t.Logf("ended after %v", time.Since(begin))
			_ = stderr.SetReadDeadline(time.Now().Add(slack))
			if _, err := io.ReadAll(stderr); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestUnreadLogAtTheEnd: an unread log does not delay the exit after a signal.
func TestUnreadLogAtTheEnd(t *testing.T) {
	t.Parallel()
	p, _ := startUnread(t, "logger")
	defer p.within(time.Minute)()
	p.ready(t)
	p.write(t, call(1, "note", `{}`)+call(2, "sleep", `{"millis":600000}`)+call(3, "sleep", `{"millis":600000,"stubborn":true}`)+"no message\n")
	for range 2 {
		_ = readAnswer(t, p.lines)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.end(t, stdio.DefaultGrace+4*time.Second+slack)
}

// TestUnreadError: the error that Main prints last does not block the exit.
func TestUnreadError(t *testing.T) {
	t.Parallel()
	p, _ := startUnread(t, "failing")
	defer p.within(time.Minute)()
	err := p.Wait()
	exit := new(exec.ExitError)
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("exit: %v, want status 1", err)
	}
}

// TestLateReaderOfTheLog: records logged before standard error is read are written when reading starts.
func TestLateReaderOfTheLog(t *testing.T) {
	t.Parallel()
	p, stderr := startUnread(t, "main")
	defer p.within(time.Minute)()
	for range 3 {
		p.write(t, call(1, "note", `{}`))
		readAnswer(t, p.lines)
	}
	log := make(chan string, 1)
	go func() {
		text, _ := io.ReadAll(stderr)
		log <- string(text)
	}()
	p.in.Close()
	p.end(t, slack)
	if got := <-log; strings.Count(got, "noted") != 3 {
		t.Errorf("log = %q, want 3 records", strings.TrimLeft(got, "x"))
	}
}

// TestSignalWhileNobodyReads: if the client does not read, the log blames no tools for the delay of the exit.
func TestSignalWhileNobodyReads(t *testing.T) {
	t.Parallel()
	p := startProcess(t, "logger")
	defer p.within(time.Minute)()
	for i := range 4 {
		p.write(t, echoCall(i, strings.Repeat("x", 100_000)))
	}
	p.write(t, call(5, "sleep", `{"millis":600000}`)+call(6, "child", `{"script":"exit"}`))
	p.childID(t) // all calls are received
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	got := p.stderr.String()
	if !strings.Contains(got, "the client does not read") || strings.Contains(got, "tools ignore") {
		t.Errorf("log lacks the unread client, or blames tools:\n%s", got)
	}
}
