package swap_test

import (
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/swap"
	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// TestInvalid has a server whose messages have half of an emoji, and a response that is not JSON. The client gets both.
func TestInvalid(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	use(t, f, version("raw", `v\ud83d`))
	c := connect(t, f)
	if welcome := c.initialize(); !strings.Contains(welcome, `"version":"v\ufffd"`) {
		t.Errorf("the client gets %s, want the response with U+FFFD", welcome)
	}
	c.send(call("1", "x"))
	c.expect(result("1", `v\ufffd`))
	c.send(call("2", "nan"))
	c.expect(`{"jsonrpc":"2.0","id":2,"result":{"content":[],"value":NaN}}`)
	use(t, f, version("raw", "v2")) // no call is running in the old process
	c.expect(toolsNote, resNote)
	c.send(call("3", "x"))
	c.expect(result("3", "v2"))
}

// TestInvalidHTTP is TestInvalid over HTTP.
func TestInvalidHTTP(t *testing.T) {
	t.Parallel()
	f, _ := newFront(t, swap.Options{})
	use(t, f, listening(t, "rawhttp", `v\ud83d`))
	c := dial(t, client.Target{URL: serve(t, f)}, client.Options{Era: client.Legacy})
	if got := callTool(t.Context(), c, "x", "{}"); got != "v\ufffd" {
		t.Errorf("the result is %q, want U+FFFD", got)
	}
	begun := time.Now()
	if got := callTool(t.Context(), c, "nan", "{}"); !strings.Contains(got, "cannot be read") || time.Since(begun) > patient/2 {
		t.Errorf("after %v the result is %q, want an error", time.Since(begun), got)
	}
}
