package page_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcptool-go/mcptool/bench/internal/page"
	"github.com/mcptool-go/mcptool/internal/measure/client"
	"github.com/mcptool-go/mcptool/internal/testing/testscale"
)

// openHostile opens the page of a server of serveHostile.
func openHostile(t *testing.T, name string) *browser {
	t.Helper()
	b := open(t, child(name), client.Legacy, page.Options{})
	b.connect()
	return b
}

// TestHostileLists checks that entries with wrong members and names are listed as JSON.
func TestHostileLists(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "hostile")
	resp, text := b.send(http.MethodGet, "api/state", "")
	if resp.Header.Get("Content-Type") != "application/json" || strings.Contains(string(text), "<") {
		t.Errorf("the state is %s %s", resp.Header.Get("Content-Type"), text)
	}
	s := get[state](b, "api/state")
	if len(s.Tools) != 7 || s.Tools[0].Name != "\u202enoitcnuf" || len(s.Tools[0].Findings) == 0 || s.Tools[5].Name != "" || s.Tools[5].Tokens == 0 || len(s.Prompts) != 1 || len(s.Resources) != 1 {
		t.Errorf("the lists are %+v", s)
	}
	if got, want := string(s.Tools[6].InputSchema), `{"type":"object","properties":{"b":{"type":"string"},"a":{"maximum":12345678901234567890}}}`; got != want {
		t.Errorf("the schema is %s, want %s", got, want)
	}
	c := b.call("tool", "\u202enoitcnuf", `{"</script>":"<b>"}`)
	if c.State != "done" || c.Name != "\u202enoitcnuf" || !strings.Contains(string(c.Result), `\u003cscript\u003e`) {
		t.Errorf("the call is %+v with the result %s", c, c.Result)
	}
}

// TestHugeResult checks that a result of 50 MB is only at its own address. A short test has 5 MB.
func TestHugeResult(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "hostile")
	events := b.events()
	size := testscale.Short(50_000_000)
	c := b.call("tool", "huge", `{"bytes":`+itoa(size)+`}`)
	if c.State != "done" || c.ResultBytes < size || !isNull(c.Result) {
		t.Fatalf("the call is %+v", c)
	}
	e := b.awaitEvent(events, func(e event) bool { return e.name == "call" && strings.Contains(e.data, `"state":"done"`) })
	if len(e.data) > 1000 {
		t.Errorf("the event has %d bytes", len(e.data))
	}
	if _, text := b.send(http.MethodGet, "api/calls/1/result", ""); len(text) != c.ResultBytes {
		t.Errorf("the result has %d bytes, want %d", len(text), c.ResultBytes)
	}
	for _, m := range get[[]page.Message](b, "api/messages") {
		if len(m.Text) > 1<<20 || m.Bytes > size && m.Text != "" {
			t.Errorf("message %d has %d of %d bytes", m.N, len(m.Text), m.Bytes)
		}
	}
}

// TestEndlessLogs checks that the page can be used while a call writes logs without end.
func TestEndlessLogs(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "hostile")
	events := b.events()
	c := b.begin("tool", "chatty", `{}`)
	c = b.await(c.ID, func(c *page.Call) bool { return c.LogsDropped > 1000 })
	if len(c.Logs) != 200 {
		t.Errorf("%d logs are kept", len(c.Logs))
	}
	if n := len(get[[]page.Message](b, "api/messages")); n > 2000 {
		t.Errorf("%d messages are kept", n)
	}
	count := 0
	for end := time.After(time.Second); end != nil; {
		select {
		case <-events:
			count++
		case <-end:
			end = nil
		}
	}
	if count > 5000 {
		t.Errorf("the page has sent %d events in a second", count)
	}
	post[page.Call](b, "api/calls/1/cancel", `{}`)
	b.await(c.ID, ended)
}

// TestVagueNotifications checks notifications that do not say what they are about.
func TestVagueNotifications(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "hostile")
	if c := b.call("tool", "vague", `{}`); c.State != "done" || c.Progress != nil || c.Task != nil || len(c.Logs) != 1 {
		t.Errorf("the call is %+v", c)
	}
}

// TestDeath checks a server that ends in the middle of a call.
func TestDeath(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "hostile")
	if c := b.call("tool", "die", `{}`); c.State != "failed" || !strings.Contains(c.Error, "exit status 9") {
		t.Errorf("the call is %+v", c)
	}
}

// TestSilence checks that a call without an answer can be cancelled, and times out.
func TestSilence(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "silent")
	c := b.begin("tool", "x", `{}`)
	post[page.Call](b, "api/calls/1/cancel", `{}`)
	if c = b.await(c.ID, ended); c.State != "cancelled" {
		t.Errorf("the cancelled call is %+v", c)
	}
	to := child("silent")
	b = open(t, to, client.Legacy, page.Options{Dial: func(ctx context.Context, o client.Options) (*client.Client, error) {
		o.Era, o.Timeout = client.Legacy, 2*time.Second
		return client.Dial(ctx, to, o)
	}})
	if c := b.call("tool", "x", `{}`); c.State != "failed" || !strings.Contains(c.Error, "has not answered tools/call within 2s") {
		t.Errorf("the call is %+v", c)
	}
}

// TestLure checks that a question with a URL that a browser could execute is declined.
func TestLure(t *testing.T) {
	t.Parallel()
	b := openHostile(t, "hostile")
	c := b.call("tool", "lure", `{}`)
	if c.State != "done" || !strings.Contains(string(c.Result), "decline") || len(c.Logs) != 1 || !strings.Contains(c.Logs[0].Text, `its URL "javascript:alert(1)" is not one of http or https`) {
		t.Errorf("the call is %+v with the result %s", c, c.Result)
	}
}
