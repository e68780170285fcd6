package loopback_test

import (
	"net"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
)

// TestListen listens at addresses of this machine, and at others, which are refused.
func TestListen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ addr, err string }{
		{"127.0.0.1:0", ""},
		{"localhost:0", ""},
		{"LocalHost:0", ""},
		{"[::ffff:127.0.0.1]:0", ""},
		{":0", `":0" is not a loopback address, such as 127.0.0.1:8080`},
		{"0.0.0.0:0", `"0.0.0.0:0" is not a loopback address`},
		{"[::]:0", `"[::]:0" is not a loopback address`},
		{"[::ffff:192.0.2.1]:0", "is not a loopback address"},
		{"192.0.2.1:0", "is not a loopback address"},
		{"example.com:0", "is not a loopback address"},
		{"localhost.example.com:0", "is not a loopback address"},
		{"127.0.0.1.example.com:0", "is not a loopback address"},
		{"8080", `"8080" is not HOST:PORT, such as 127.0.0.1:8080: address 8080: missing port in address`},
		{"", `"" is not HOST:PORT`},
		{"127.0.0.1:99999", "invalid port"},
	} {
		l, err := loopback.Listen(t.Context(), test.addr)
		if err == nil {
			if at, ok := l.Addr().(*net.TCPAddr); !ok || !at.IP.IsLoopback() {
				t.Errorf("%q listens at %v, which is not a loopback address", test.addr, l.Addr())
			}
			if err := l.Close(); err != nil {
				t.Error(err)
			}
		}
		if test.err == "" && err != nil || test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)) {
			t.Errorf("%q: the error is %v, want one with %q", test.addr, err, test.err)
		}
	}
	for _, addr := range []string{"127.0.0.2:0", "[::1]:0"} { // not all systems have them
		if l, err := loopback.Listen(t.Context(), addr); err == nil {
			_ = l.Close()
		} else if strings.Contains(err.Error(), "is not") {
			t.Errorf("%q: %v", addr, err)
		}
	}
}

func TestIsHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"localhost": true, "LocalHost:80": true, "127.0.0.1": true, "127.8.9.1:8080": true, "::1": true, "[::1]": true, "[::1]:80": true,
		"[::ffff:127.0.0.1]:80": true, "": false, ":80": false, "0.0.0.0": false, "[::]:80": false, "192.0.2.1:80": false, "[::1%lo]:80": false,
		"localhost.example.com": false, "127.0.0.1.example.com:80": false, "2130706433": false, "127.1": false,
	} {
		if got := loopback.IsHost(host); got != want {
			t.Errorf("IsHost(%q) = %v", host, got)
		}
	}
}

func TestIsOrigin(t *testing.T) {
	t.Parallel()
	for origin, want := range map[string]bool{
		"http://localhost:8080": true, "https://127.0.0.1": true, "http://[::1]:80": true, "": false, "null": false, "localhost": false,
		"http://example.com": false, "http://localhost@example.com": false, "http://localhost.example.com": false, "http://%zz": false,
	} {
		if got := loopback.IsOrigin(origin); got != want {
			t.Errorf("IsOrigin(%q) = %v", origin, got)
		}
	}
}
