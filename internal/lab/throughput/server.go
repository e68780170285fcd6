package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A server is a program to measure.
type server struct {
	name    string // in tables
	program string // directory in internal/lab/peers
	args    []string
	binary  string
}

// Names used by workloads and targets.
const (
	ours    = "mcptool"
	goSDK   = "go-sdk"
	mcpGo   = "mcp-go"
	limited = "with limits"
	audited = "with limits and audit"
)

// build builds all servers into dir.
func build(ctx context.Context, dir string) ([]server, error) {
	servers := []server{
		{name: ours, program: "mcptool"},
		{name: goSDK, program: "gosdk"},
		{name: mcpGo, program: "mcpgo"},
		{name: limited, program: "mcptool", args: []string{"-limits"}},
		{name: audited, program: "mcptool", args: []string{"-limits", "-audit"}},
	}
	if err := goBuild(ctx, "", dir, "mcptool", "gosdk", "mcpgo"); err != nil {
		return nil, err
	}
	for i := range servers {
		servers[i].binary = filepath.Join(dir, servers[i].program)
	}
	return servers, nil
}

// goBuild builds programs of internal/lab/peers into a directory. It runs in root, a directory of a checkout; "" means the
// current one.
func goBuild(ctx context.Context, root, dir string, programs ...string) error {
	// Omitting debug information halves the link time. -o names a directory only if it ends with a separator.
	args := []string{"build", "-ldflags=-s -w", "-o", dir + string(filepath.Separator)}
	for _, program := range programs {
		args = append(args, "github.com/mcptool-go/mcptool/internal/lab/peers/"+program)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	switch {
	case err == nil:
		return nil
	case root == "":
		return fmt.Errorf("build the servers (run this command in a checkout): %w\n%s", err, bytes.TrimSpace(out))
	default:
		return fmt.Errorf("build the server of the other commit: %w\n%s", err, bytes.TrimSpace(out))
	}
}

// command returns the command line of a server.
func (s *server) command(args ...string) []string {
	return slices.Concat([]string{s.binary}, args, s.args)
}

// An httpServer is a running server that serves HTTP.
type httpServer struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	stderr bytes.Buffer
}

// serveHTTP starts a server that serves HTTP, and returns its URL.
func (s *server) serveHTTP(ctx context.Context) (_ *httpServer, url string, err error) {
	command := s.command("-http")
	p := &httpServer{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	p.cmd.Stderr = &p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, "", err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.out = bufio.NewReader(out)
	if err := p.cmd.Start(); err != nil {
		return nil, "", err
	}
	line, err := p.out.ReadString('\n')
	if err != nil {
		return nil, "", errors.Join(err, p.stop())
	}
	return p, strings.TrimSpace(line), nil
}

// stop stops the server by closing its input. If the server failed, the error contains its stderr.
func (p *httpServer) stop() error {
	_ = p.in.Close() // the server may have exited already, which Wait reports
	kill := time.AfterFunc(5*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	_, _ = io.Copy(io.Discard, p.out)
	if err := p.cmd.Wait(); err != nil {
		return fmt.Errorf("%w\n%s", err, p.stderr.String())
	}
	return nil
}
