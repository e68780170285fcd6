package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
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

// nginx is a running nginx.
type nginx struct {
	cmd  *exec.Cmd
	addr string
}

// errNoNginx says that there is nothing to show without nginx.
var errNoNginx = errors.New("nginx is not installed: on Debian, apt-get install nginx")

// startNginx starts nginx on a free port of loopback, with everything it writes in dir.
func startNginx(ctx context.Context, dir, host string, instances []*instance) (*nginx, error) {
	path, err := findNginx()
	if err != nil {
		return nil, err
	}
	addr, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	conf := filepath.Join(dir, "nginx.conf")
	if err := writeConf(conf, map[string]any{"Dir": dir, "Addr": addr, "Host": host, "Instances": addrs(instances)}); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "-e", "stderr", "-p", dir, "-c", conf)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // killed, it would leave its workers behind
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	n := &nginx{cmd: cmd, addr: addr}
	if err := n.await(ctx); err != nil {
		return nil, errors.Join(err, n.stop())
	}
	return n, nil
}

// findNginx looks where Debian puts it, too: the PATH of users often lacks that.
func findNginx() (string, error) {
	for _, name := range []string{"nginx", "/usr/sbin/nginx"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errNoNginx
}

// freeAddr returns an address that nobody listens on at the moment.
func freeAddr(ctx context.Context) (string, error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

func writeConf(path string, values map[string]any) error {
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
func (n *nginx) await(ctx context.Context) error {
	var err error
	for range 100 {
		var conn net.Conn
		if conn, err = new(net.Dialer).DialContext(ctx, "tcp", n.addr); err == nil {
			return conn.Close()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("nginx does not listen: %w", err)
}

// stop ends nginx.
func (n *nginx) stop() error {
	_ = n.cmd.Process.Signal(syscall.SIGTERM) // if it has ended by itself, Wait tells how
	return n.cmd.Wait()
}

// version is what nginx calls itself, such as nginx/1.22.1.
func (n *nginx) version(ctx context.Context) string {
	said, _ := exec.CommandContext(ctx, n.cmd.Path, "-e", "stderr", "-v").CombinedOutput()
	_, version, _ := strings.Cut(strings.TrimSpace(string(said)), ": ")
	return version
}
