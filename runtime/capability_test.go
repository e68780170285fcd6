package runtime_test

import (
	"strings"
	"testing"
)

// TestCapabilitiesLimit: the size of client capabilities is limited, since a session keeps
// them.
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
