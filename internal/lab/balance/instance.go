package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// instance is a running process of the server.
type instance struct {
	cmd  *exec.Cmd
	addr string
}

// startInstances builds the server and starts it n times, on free ports of loopback.
func startInstances(ctx context.Context, dir, host string, n int) ([]*instance, error) {
	server := filepath.Join(dir, "loadbalanced")
	build := exec.CommandContext(ctx, "go", "build", "-o", server, "github.com/mcptool-go/mcptool/examples/loadbalanced")
	if said, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, said)
	}
	var instances []*instance
	for range n {
		i, err := startInstance(ctx, server, host)
		if err != nil {
			stopAll(instances)
			return nil, err
		}
		instances = append(instances, i)
	}
	return instances, nil
}

func startInstance(ctx context.Context, server, host string) (*instance, error) {
	i := &instance{cmd: exec.CommandContext(ctx, server, "-addr", "127.0.0.1:0", "-host", host)}
	i.cmd.Stderr = os.Stderr
	out, err := i.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := i.cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stopAll([]*instance{i})
		return nil, fmt.Errorf("an instance does not say where it listens: %w", err)
	}
	i.addr = strings.TrimSpace(line)
	return i, nil
}

// stop asks the instance to end, and waits until it has, in good order.
func (i *instance) stop() error {
	if err := i.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return i.cmd.Wait()
}

// stopAll ends what has not ended yet.
func stopAll(instances []*instance) {
	for _, i := range instances {
		if i.cmd.ProcessState == nil {
			_ = i.cmd.Process.Kill() // what matters has been seen
			_ = i.cmd.Wait()
		}
	}
}

// addrs is where the instances listen.
func addrs(instances []*instance) []string {
	var all []string
	for _, i := range instances {
		all = append(all, i.addr)
	}
	return all
}
