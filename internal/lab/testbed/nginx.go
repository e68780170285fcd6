package testbed

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
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
	// Addr is its listen address.
	Addr string

	host string
	cmd  *exec.Cmd
}

// Config configures nginx.
type Config struct {
	// Dir is the directory for all files of nginx.
	Dir string
	// Host is the name by which clients know the server.
	Host string
	// Instances are the addresses of the instances.
	Instances []string
	// Stderr receives the error log of nginx: at least startup errors and failures of instances.
	Stderr io.Writer
	// ReadTimeout is the maximum time without data from the instance: proxy_read_timeout. Zero means the default of
	// nginx, a minute.
	ReadTimeout time.Duration
	// Repeatable names the tools whose calls may be repeated at another instance after a failure.
	Repeatable []string
	// Balance is the method of balancing, such as "ip_hash", or "hash $session consistent" for the id of the session.
	// "" means round robin.
	Balance string
}

// ErrNoNginx means that nginx is not installed.
var ErrNoNginx = errors.New("nginx is not installed: on Debian, apt-get install nginx")

// StartNginx starts nginx on a free port of loopback, in front of the instances, and waits until it listens. It is
// stopped when ctx ends.
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
	n := &Nginx{Addr: addrs[0], host: c.Host}
	return n, n.start(ctx, path, conf, c.Stderr)
}

// start runs the program at path with a configuration that listens at n.Addr, and waits until it listens.
func (n *Nginx) start(ctx context.Context, path, conf string, stderr io.Writer) error {
	n.cmd = exec.CommandContext(ctx, path, "-e", "stderr", "-p", filepath.Dir(conf), "-c", conf)
	n.cmd.Cancel = func() error { return n.cmd.Process.Signal(syscall.SIGTERM) } // SIGKILL would leave the workers behind
	n.cmd.Stderr = stderr
	if err := n.cmd.Start(); err != nil {
		return err
	}
	if err := n.await(ctx); err != nil {
		return errors.Join(err, n.Stop())
	}
	return nil
}

// FindNginx returns the path of nginx, or [ErrNoNginx]. It also looks in the directory used by Debian, which is often
// not in the PATH of users.
func FindNginx() (string, error) {
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", ErrNoNginx
}

// FreeAddrs returns n different unused loopback addresses. Their ports are below the range from which systems assign ports
// (Linux from 32768, others from 49152), so that no other socket gets one before a program listens on it.
func FreeAddrs(ctx context.Context, n int) (addrs []string, err error) {
	for tries := 0; len(addrs) < n; tries++ {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(12_000)))
		switch {
		case err == nil:
			defer func() { _ = l.Close() }() // only at the end, so that no address is found twice
			addrs = append(addrs, l.Addr().String())
		case tries >= 100:
			return nil, err
		}
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
	return fmt.Errorf("wait for nginx to listen: %w", err)
}

// Stop stops nginx.
func (n *Nginx) Stop() error {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // if it has already exited, Wait reports how
	return n.cmd.Wait()
}

// Version returns the version of nginx, such as nginx/1.22.1.
func (n *Nginx) Version(ctx context.Context) string {
	said, _ := exec.CommandContext(ctx, n.cmd.Path, "-e", "stderr", "-v").CombinedOutput()
	_, version, _ := strings.Cut(strings.TrimSpace(string(said)), ": ")
	return version
}
