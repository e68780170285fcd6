// Package loopback listens at addresses that only this machine reaches, and recognizes hosts that are such addresses.
package loopback

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Listen listens at addr, which has the form HOST:PORT. HOST is a loopback address or localhost; an empty host is refused,
// because other programs then listen on all addresses of the machine. Port 0 means a free port.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%q is not HOST:PORT, such as 127.0.0.1:8080: %w", addr, err)
	}
	if !IsHost(host) {
		return nil, fmt.Errorf("%q is not a loopback address, such as 127.0.0.1:8080, which only this machine reaches", addr)
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() { // the system decides where localhost is
		return nil, errors.Join(fmt.Errorf("%s is %v here, which is not a loopback address; use 127.0.0.1", host, l.Addr()), l.Close())
	}
	return l, nil
}

// IsHost reports whether a host, with or without a port, always refers to this machine: a loopback address, or localhost. An
// address with a zone does not.
func IsHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback() && ip.Zone() == "" || strings.EqualFold(host, "localhost")
}

// IsOrigin reports whether the value of an Origin header is a page of this machine.
func IsOrigin(origin string) bool {
	at, err := url.Parse(origin)
	return err == nil && IsHost(at.Host)
}
