package runtime_test

import (
	"strings"
	"testing"
)

// TestCapabilitiesLimit: a session keeps what its client can do for as long as it lives, so
// that is bounded.
func TestCapabilitiesLimit(t *testing.T) {
	t.Parallel()
	hello := func(size int) string {
		return legacy("1", "initialize", `"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},`+
			`"capabilities":{"experimental":{"x":"`+strings.Repeat("x", size)+`"}}`)
	}
	w := open(t, serve(t))
	w.send(hello(4 << 10))
	w.want(`"error":{"code":-32602,"message":"params.capabilities is larger than 4096 bytes"}`)
	w.send(hello(3 << 10))
	w.want(`"protocolVersion":"2025-11-25"`)
}
