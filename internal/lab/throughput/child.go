package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"github.com/mcptool-go/mcptool/bench/process"
)

// A child is a contender that runs.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *lines
	stderr bytes.Buffer
}

// start starts a contender.
func (r *rig) start(ctx context.Context, c contender, args ...string) (*child, error) {
	args = append(args, c.args...)
	if r.profiles != "" {
		args = append(args, "-cpuprofile", r.profileName(c))
	}
	ch := &child{cmd: exec.CommandContext(ctx, c.binary, args...)}
	ch.cmd.Stderr = &ch.stderr
	in, err := ch.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := ch.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	ch.in, ch.out = in, newLines(out)
	return ch, ch.cmd.Start()
}

// cpu returns the processor time, of the user and of the system, that all threads of the
// child have taken so far.
func (c *child) cpu() (time.Duration, error) { return process.Time(c.cmd.Process.Pid) }

// peak returns the most memory the child has had resident so far, in bytes.
func (c *child) peak() (int64, error) { return process.Peak(c.cmd.Process.Pid) }

// stop ends the child by ending its input, which is how sessions over stdio end, and says
// what it left on stderr if it failed.
func (c *child) stop() error {
	_ = c.in.Close() // it may have gone already, and Wait says so
	kill := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_, _ = io.Copy(io.Discard, c.out.src)
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, c.stderr.String())
	}
	return nil
}

// lines reads a stream of lines of any length.
type lines struct {
	src     io.Reader
	buf     []byte
	start   int // of what was not returned yet
	scanned int // up to here there is no end of a line
}

func newLines(src io.Reader) *lines { return &lines{src: src, buf: make([]byte, 0, 256<<10)} }

// next returns the next line, valid until the next call. Without wait it returns nil
// when there is no complete line in the buffer.
func (l *lines) next(wait bool) ([]byte, error) {
	for {
		if i := bytes.IndexByte(l.buf[l.scanned:], '\n'); i >= 0 {
			line := l.buf[l.start : l.scanned+i]
			l.start = l.scanned + i + 1
			l.scanned = l.start
			return line, nil
		}
		l.scanned = len(l.buf)
		if !wait {
			return nil, nil
		}
		if err := l.fill(); err != nil {
			return nil, err
		}
	}
}

// fill reads once, behind what is there.
func (l *lines) fill() error {
	if l.start > 0 {
		n := copy(l.buf, l.buf[l.start:])
		l.buf, l.scanned, l.start = l.buf[:n], l.scanned-l.start, 0
	}
	if len(l.buf) == cap(l.buf) {
		l.buf = append(l.buf, make([]byte, cap(l.buf))...)[:len(l.buf)]
	}
	n, err := l.src.Read(l.buf[len(l.buf):cap(l.buf)])
	l.buf = l.buf[:len(l.buf)+n]
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
