package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// A child is a running server that was not started by a client.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	pipe   io.Closer // underlying pipe of out
	stderr bytes.Buffer
}

// start starts a server, which exits at the end of its input.
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
	c.in, c.out, c.pipe = in, bufio.NewReader(out), out
	return c, c.cmd.Start()
}

// wait waits until the child has exited, and returns an error unless it succeeded. The caller must have read its output
// to the end.
func (c *child) wait() error {
	kill := time.AfterFunc(answerTimeout, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("the server: %w: %s", err, shorten(c.stderr.Bytes()))
	}
	return nil
}

// end waits until the child has exited, and discards its output.
func (c *child) end() error {
	_, _ = io.Copy(io.Discard, c.out)
	return c.wait()
}

// startHTTP starts an HTTP server, and returns its address.
func (s *soak) startHTTP(ctx context.Context, args ...string) (*child, string, error) {
	c, err := s.start(ctx, append(args, "-http")...)
	if err != nil {
		return nil, "", err
	}
	address, err := c.out.ReadString('\n')
	if err != nil {
		return nil, "", fmt.Errorf("read the address that the server prints: %w: %s", err, c.stderr.Bytes())
	}
	return c, strings.TrimSpace(address), nil
}

// dialPipe starts a server and opens a session over stdio.
func (s *soak) dialPipe(ctx context.Context, rev revision) (*session, error) {
	return s.dial(ctx, "stdio "+string(rev), rev, client.Target{Command: s.program})
}

// dialHTTP opens a session over Streamable HTTP, or over HTTP with SSE in revision 2024-11-05, see [sseTransport].
func (s *soak) dialHTTP(ctx context.Context, rev revision, base string) (*session, error) {
	to := client.Target{URL: base + "/mcp"}
	if rev == revisions[0] {
		to = client.Target{URL: base + "/sse"}
	}
	return s.dial(ctx, "http "+string(rev), rev, to)
}
