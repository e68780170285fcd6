package runtime_test

import (
	"net/netip"
	"testing"

	"github.com/mcptool-go/mcptool/runtime"
)

// TestCaller checks which accesses count as one caller for the limits.
func TestCaller(t *testing.T) {
	t.Parallel()
	from := func(address string) *runtime.Access { return &runtime.Access{Address: netip.MustParseAddr(address)} }
	named := func(name, address string) *runtime.Access {
		return &runtime.Access{Principal: name, Address: netip.MustParseAddr(address)}
	}
	for _, test := range []struct {
		name     string
		one, two *runtime.Access
		same     bool
	}{
		{"one principal at two addresses", named("ann", "192.0.2.1"), named("ann", "192.0.2.2"), true},
		{"two principals at one address", named("ann", "192.0.2.1"), named("bob", "192.0.2.1"), false},
		{"one principal in two tenants", &runtime.Access{Tenant: "acme", Principal: "ann"}, &runtime.Access{Tenant: "globex", Principal: "ann"}, false},
		{"one principal in a tenant and without one", &runtime.Access{Tenant: "acme", Principal: "ann"}, named("ann", "192.0.2.1"), false},
		{"one principal in one tenant", &runtime.Access{Tenant: "acme", Principal: "ann"}, &runtime.Access{Tenant: "acme", Principal: "ann"}, true},
		{"a principal and an address", named("ann", "192.0.2.1"), from("192.0.2.1"), false},
		{"two addresses", from("192.0.2.1"), from("192.0.2.2"), false},
		{"one IPv4 address, in two notations", from("192.0.2.1"), from("::ffff:192.0.2.1"), true},
		{"two IPv6 addresses in one network", from("2001:db8:1:2::1"), from("2001:db8:1:2:ffff::9"), true},
		{"two IPv6 networks", from("2001:db8:1:2::1"), from("2001:db8:1:3::1"), false},
		{"one link-local address on two links", from("fe80::1%eth0"), from("fe80::1%eth1"), true},
		{"two loopback addresses", from("127.0.0.1"), from("127.0.0.11"), true},
		{"loopback of two versions", from("127.0.0.1"), from("::1"), true},
		{"loopback, in two notations", from("::ffff:127.0.0.2"), from("127.0.0.1"), true},
		{"two accesses without an address", &runtime.Access{}, &runtime.Access{Scopes: []string{"x"}}, true},
		{"a trusted peer and an unknown caller", nil, &runtime.Access{}, false},
	} {
		if same := test.one.Caller() == test.two.Caller(); same != test.same {
			t.Errorf("%s: same caller = %t, want %t", test.name, same, test.same)
		}
	}
}
