package testbed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
)

// Instance is a running process of a server. Its methods are not safe for concurrent use.
type Instance struct {
	// Addr is its listen address.
	Addr string

	cmd *exec.Cmd
}

// Command is the command of an instance.
type Command struct {
	Program string
	Args    []string
	Env     []string  // nil means the environment of this process
	Stderr  io.Writer // receives the stderr of the instance
}

// Start starts a program that prints its listen address as the first line of its stdout, and waits for that line. The
// program is killed when ctx ends.
func Start(ctx context.Context, c Command) (*Instance, error) {
	i := &Instance{cmd: exec.CommandContext(ctx, c.Program, c.Args...)}
	i.cmd.Env, i.cmd.Stderr = c.Env, c.Stderr
	out, err := i.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := i.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("read the address that an instance prints: %w", err), i.cmd.Wait())
	}
	i.Addr = strings.TrimSpace(line)
	return i, nil
}

// Stop sends SIGTERM to the instance, and waits until it has exited successfully.
func (i *Instance) Stop() error {
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return i.cmd.Wait()
}

// Kill kills the instance, as kill -9 does, and waits until it has exited and all of its stderr is written. It does
// nothing if the instance has already exited.
func (i *Instance) Kill() {
	if i.cmd.ProcessState == nil {
		_ = i.cmd.Process.Kill() // it may have exited by itself
		_ = i.cmd.Wait()         // the error is expected after Kill
	}
}

// KillAll kills all running instances.
func KillAll(instances []*Instance) {
	for _, i := range instances {
		i.Kill()
	}
}

// Addrs returns the listen addresses of the instances.
func Addrs(instances []*Instance) []string {
	var all []string
	for _, i := range instances {
		all = append(all, i.Addr)
	}
	return all
}
