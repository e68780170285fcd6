package testbed

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"text/template"
	"time"
)

//go:embed nginx.conf
var nginxConf string

// Nginx is a running nginx.
type Nginx struct {
	// Addr is where it listens.
	Addr string

	host string
	cmd  *exec.Cmd
}

// Config is what nginx is started with.
type Config struct {
	// Dir is the directory for everything that nginx writes.
	Dir string
	// Host is the name by which clients know the server.
	Host string
	// Instances are the addresses of the instances.
	Instances []string
	// Stderr gets what nginx reports: at least that it cannot start, and each instance that has failed.
	Stderr io.Writer
	// ReadTimeout is after how long without a byte from the instance nginx gives up: its proxy_read_timeout. Zero means the
	// default of nginx, a minute.
	ReadTimeout time.Duration
	// Repeatable are the names of the tools whose calls may be sent to another instance when one has failed in the middle
	// of them.
	Repeatable []string
}

// ErrNoNginx means that nginx is not installed.
var ErrNoNginx = errors.New("nginx is not installed: on Debian, apt-get install nginx")

// StartNginx starts nginx on a free port of loopback, in front of the instances, and waits until it listens. When ctx ends
// it is stopped.
func StartNginx(ctx context.Context, c Config) (*Nginx, error) {
	path, err := FindNginx()
	if err != nil {
		return nil, err
	}
	addrs, err := FreeAddrs(ctx, 1)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(c.Dir, "nginx.conf")
	if err := writeConf(conf, struct {
		Config
		Addr string
	}{c, addrs[0]}); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "-e", "stderr", "-p", c.Dir, "-c", conf)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // killed, it would leave its workers behind
	cmd.Stderr = c.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &Nginx{Addr: addrs[0], host: c.Host, cmd: cmd}
	if err := n.await(ctx); err != nil {
		return nil, errors.Join(err, n.Stop())
	}
	return n, nil
}

// FindNginx returns the path of nginx, or [ErrNoNginx]. It looks where Debian puts it, too: the PATH of users often lacks that.
func FindNginx() (string, error) {
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoNginx
}

// FreeAddrs returns n different addresses of loopback that nobody listens on at the moment.
func FreeAddrs(ctx context.Context, n int) (addrs []string, err error) {
	for range n {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // not before all are found, so that none is found twice
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

func writeConf(path string, values any) error {
	conf, err := template.New("nginx.conf").Parse(nginxConf)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(conf.Execute(f, values), f.Close())
}

// await waits until nginx accepts connections.
func (n *Nginx) await(ctx context.Context) error {
	var err error
	for range 100 {
		var conn net.Conn
		if conn, err = new(net.Dialer).DialContext(ctx, "tcp", n.Addr); err == nil {
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("nginx does not listen: %w", err)
}

// Stop ends nginx.
func (n *Nginx) Stop() error {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // if it has ended by itself, Wait tells how
	return n.cmd.Wait()
}

// Version returns what nginx calls itself, such as nginx/1.22.1.
func (n *Nginx) Version(ctx context.Context) string {
	said, _ := exec.CommandContext(ctx, n.cmd.Path, "-e", "stderr", "-v").CombinedOutput()
	_, version, _ := strings.Cut(strings.TrimSpace(string(said)), ": ")
	return version
}
