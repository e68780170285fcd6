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
	// Addr is where it listens.
	Addr string

	cmd *exec.Cmd
}

// Command is what an instance is started with.
type Command struct {
	Program string
	Args    []string
	Env     []string  // nil means that of this process
	Stderr  io.Writer // gets what the instance writes to its stderr
}

// Start starts a program that prints the address where it listens as the first line of its stdout, and waits for that line.
// When ctx ends the program is killed.
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
		return nil, errors.Join(fmt.Errorf("an instance does not print where it listens: %w", err), i.cmd.Wait())
	}
	i.Addr = strings.TrimSpace(line)
	return i, nil
}

// Stop asks the instance to end, and waits until it has ended in good order.
func (i *Instance) Stop() error {
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return i.cmd.Wait()
}

// Kill ends the instance at once, as kill -9 does, and waits until it has ended and all of its stderr is written. It does
// nothing if the instance has ended already.
func (i *Instance) Kill() {
	if i.cmd.ProcessState == nil {
		_ = i.cmd.Process.Kill() // it may have ended by itself meanwhile
		_ = i.cmd.Wait()         // which says that it was killed
	}
}

// KillAll ends those instances that have not ended yet.
func KillAll(instances []*Instance) {
	for _, i := range instances {
		i.Kill()
	}
}

// Addrs returns where the instances listen.
func Addrs(instances []*Instance) []string {
	var all []string
	for _, i := range instances {
		all = append(all, i.Addr)
	}
	return all
}
