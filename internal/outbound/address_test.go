package outbound_test

import (
	"net/netip"
	"testing"

	"github.com/mcptool-go/mcptool/internal/outbound"
)

func TestIsShared(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"127.0.0.1": true, "::1": true, "10.1.2.3": true, "192.168.0.1": true, "172.31.0.1": true, "fd00::1": true, "169.254.1.1": true, "fe80::1%eth0": true, "::ffff:10.0.0.1": true,
		"192.0.2.1": false, "2001:db8::1": false, "172.32.0.1": false, "::ffff:192.0.2.1": false,
	} {
		if got := outbound.IsShared(netip.MustParseAddr(text)); got != want {
			t.Errorf("%s: got %v", text, got)
		}
	}
	if !outbound.IsShared(netip.Addr{}) {
		t.Error("an unknown address is not shared")
	}
}
