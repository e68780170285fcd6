package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// newTools returns n tools named t000, t001, and so on.
func newTools(t *testing.T, n int) []*mcptool.Tool {
	t.Helper()
	var tools []*mcptool.Tool
	for i := range n {
		made, err := mcptool.NewRaw(fmt.Sprintf("t%03d", i), json.RawMessage(`{"type":"object"}`),
			func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, made)
	}
	return tools
}

// TestPagesAreKept: a page is rendered once per revision, until the tools change; pages that only a
// made-up cursor leads to are not kept, or a client could fill the memory with them.
func TestPagesAreKept(t *testing.T) {
	t.Parallel()
	srv := &Server{Tools: &mcptool.Registry{}, Limits: Limits{ToolsPerPage: 10}}
	tools := newTools(t, 101)
	if err := srv.Tools.Add(tools[:100]...); err != nil {
		t.Fatal(err)
	}
	c := srv.core()
	cat := c.catalog()
	same := func(a, b *page) bool { return a == b }
	if !same(c.page(&cat.list, 10, form{version: wire.V20250618}), c.page(&c.catalog().list, 10, form{version: wire.V20250618})) {
		t.Error("a page is rendered twice")
	}
	if same(c.page(&cat.list, 10, form{version: wire.V20250618}), c.page(&cat.list, 10, form{version: wire.V20251125})) || same(c.page(&cat.list, 10, form{version: wire.V20250618}), c.page(&cat.list, 20, form{version: wire.V20250618})) {
		t.Error("two pages are one")
	}
	for start := range 100 {
		c.page(&cat.list, start, form{version: wire.V20250618})
	}
	kept := 0
	cat.pages.Range(func(any, any) bool { kept++; return true })
	if kept != 11 { // ten of one revision, one of another
		t.Errorf("%d pages are kept, want 11", kept)
	}
	if err := srv.Tools.Add(tools[100]); err != nil {
		t.Fatal(err)
	}
	if c.catalog() == cat {
		t.Error("the catalog is that of before the change")
	}
}

// TestSubscribers: a session is subscribed to the registry while its client listens for changes, and no longer.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	srv := &Server{Tools: &mcptool.Registry{}}
	var sessions []*Session
	for range 1000 {
		s := srv.Open(t.Context(), discard{})
		s.Receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		sessions = append(sessions, s)
	}
	if clients, _ := srv.core().notices.Size(); clients != len(sessions) {
		t.Errorf("%d sessions of %d are watching", clients, len(sessions))
	}
	for _, s := range sessions {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	if clients, _ := srv.core().notices.Size(); clients != 0 {
		t.Errorf("%d sessions are still watching", clients)
	}
}

// discard is an outbox nobody reads.
type discard struct{}

func (discard) Send([]byte) error { return nil }
