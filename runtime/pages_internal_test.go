package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine/enginetest"
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

// TestEntriesAreKept: entries are rendered once per revision until the tools change.
func TestEntriesAreKept(t *testing.T) {
	t.Parallel()
	srv := &Server{Tools: &mcptool.Registry{}}
	tools := newTools(t, 101)
	if err := srv.Tools.Add(mcptool.Tools(tools[:100])); err != nil {
		t.Fatal(err)
	}
	c := srv.core()
	cat := catalogOf(c)
	first := func(v wire.Version) *byte { return &catalogOf(c).items(form{version: v})[0][0] }
	if one, again := first(wire.V20250618), first(wire.V20250618); one != again {
		t.Error("an entry was rendered twice")
	}
	if first(wire.V20250618) == first(wire.V20251125) {
		t.Error("two revisions share an entry")
	}
	if err := srv.Tools.Add(tools[100]); err != nil {
		t.Fatal(err)
	}
	if catalogOf(c) == cat || len(catalogOf(c).items(form{version: wire.V20250618})) != 101 {
		t.Error("the catalog is stale after a change")
	}
}

// TestSubscribers: a session is subscribed to the registry only while its client listens for changes.
func TestSubscribers(t *testing.T) {
	t.Parallel()
	srv := &Server{Tools: &mcptool.Registry{}}
	var sessions []*session
	for range 1000 {
		s := srv.open(t.Context(), enginetest.Discard{})
		s.Receive([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
		sessions = append(sessions, s)
	}
	if clients, _ := srv.core().notices.Size(); clients != len(sessions) {
		t.Errorf("%d sessions are subscribed, want %d", clients, len(sessions))
	}
	for _, s := range sessions {
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		s.Receive([]byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`))
	}
	if clients, _ := srv.core().notices.Size(); clients != 0 {
		t.Errorf("%d sessions are still subscribed, want 0", clients)
	}
}
