package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A child is a running contender that serves HTTP.
type child struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// command returns the command line of a contender.
func (r *rig) command(c contender, args ...string) []string {
	command := slices.Concat([]string{c.binary}, args, c.args)
	if r.profiles != "" {
		command = append(command, "-cpuprofile", r.profileName(c))
	}
	return command
}

// start starts a contender that serves HTTP, and returns its URL.
func (r *rig) start(ctx context.Context, c contender) (_ *child, url string, err error) {
	command := r.command(c, "-http")
	ch := &child{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	ch.cmd.Stderr = &ch.stderr
	if ch.in, err = ch.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := ch.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	ch.out = bufio.NewReader(out)
	if err := ch.cmd.Start(); err != nil {
		return nil, "", err
	}
	line, err := ch.out.ReadString('\n')
	if err != nil {
		return nil, "", errors.Join(err, ch.stop())
	}
	return ch, strings.TrimSpace(line), nil
}

// stop stops the child by closing its input. If it failed, the error contains its stderr.
func (c *child) stop() error {
	_ = c.in.Close() // it may have exited already, which Wait reports
	kill := time.AfterFunc(5*time.Second, func() { _ = c.cmd.Process.Kill() })
	defer kill.Stop()
	_, _ = io.Copy(io.Discard, c.out)
	if err := c.cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, c.stderr.String())
	}
	return nil
}
