package loopback_test

import (
	"net"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/bench/internal/loopback"
)

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
