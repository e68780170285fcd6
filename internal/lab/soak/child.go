package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcptool-go/mcptool/bench/process"
)

// A child is a server that runs.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   io.Closer // under out
	stderr bytes.Buffer
}

// start starts a server, which ends when its input does.
func (s *soak) start(ctx context.Context, args ...string) (*child, error) {
	args = slices.Concat(s.program[1:], args)
	c := &child{cmd: exec.CommandContext(context.WithoutCancel(ctx), s.program[0], args...)}
	c.cmd.Stderr = &c.stderr
	in, err := c.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.in, c.out, c.pipe = in, bufio.NewReaderSize(out, 64<<10), out
	return c, c.cmd.Start()
}

// wait waits until the child has ended, and returns an error unless that went well. Its output must have been
// read to the end.
func (c *child) wait() error {
	kill := time.AfterFunc(answerTimeout, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("the server: %w: %s", err, shorten(c.stderr.Bytes()))
	}
	return nil
}

// openPipe starts a server and begins a session with it over stdio.
func (s *soak) openPipe(ctx context.Context, rev revision) (*child, *streamClient, error) {
	c, err := s.start(ctx)
	if err != nil {
		return nil, nil, err
	}
	var writing sync.Mutex
	send := func(_ context.Context, msg []byte) error {
		writing.Lock()
		defer writing.Unlock()
		_, err := c.in.Write(append(slices.Clip(msg), '\n'))
		return err
	}
	l := newStreamClient(rev, send, c.in.Close, s.wrongFrom("stdio "+string(rev)))
	go l.listen(context.WithoutCancel(ctx), func() ([]byte, error) { return c.out.ReadBytes('\n') })
	return c, l, l.initialize(ctx)
}

// end ends a session over stdio, and the server with it.
func (c *child) end(l *streamClient) error {
	err := l.closeInput()
	<-l.ended
	return errors.Join(err, c.wait())
}

// openHTTP starts a server that serves HTTP, and returns its address.
func (s *soak) openHTTP(ctx context.Context, args ...string) (*child, string, error) {
	c, err := s.start(ctx, append(args, "-http")...)
	if err != nil {
		return nil, "", err
	}
	address, err := c.out.ReadString('\n')
	if err != nil {
		return nil, "", fmt.Errorf("a server does not print its address: %w: %s", err, c.stderr.Bytes())
	}
	return c, strings.TrimSpace(address), nil
}

// resident returns how much memory the child has resident, in bytes.
func (c *child) resident() (int64, error) { return process.Resident(c.cmd.Process.Pid) }

// descriptors returns how many files and sockets the child has open.
func (c *child) descriptors() (int, error) {
	names, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
	return len(names), err
}
