package streamhttp

import (
	"crypto/sha256"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestDeletedBound: the number of remembered deleted ids is bounded, and includes the latest.
func TestDeletedBound(t *testing.T) {
	t.Parallel()
	all := sessions{deleted: map[[sha256.Size]byte]struct{}{}}
	for i := range 3 * maxDeleted {
		id := strconv.Itoa(i)
		all.noteDeleted(id)
		_, isKnown := all.deleted[sha256.Sum256([]byte(id))]
		if n := min(i+1, maxDeleted); len(all.deleted) != n || !isKnown {
			t.Fatalf("after %d ids: %d kept, want %d; latest known: %v", i+1, len(all.deleted), n, isKnown)
		}
	}
}

// TestResumedTwice: the second of two requests that resume a session gets the session of the first.
func TestResumedTwice(t *testing.T) {
	t.Parallel()
	h, err := NewHandler(&runtime.Server{Tools: &mcptool.Registry{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`))
	r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	id, access := w.Header().Get(headerSession), &runtime.Access{}
	if _, err := h.sessions.resume(t.Context(), id, access, 1); err != nil {
		t.Fatalf("the existing session: %v", err)
	}
	h.sessions.expire(h.sessions.byID[id], false, errIdle)
	first, err := h.sessions.resume(t.Context(), id, access, 1)
	if err != nil {
		t.Fatal(err)
	}
	second, err := h.sessions.resume(t.Context(), id, access, 1)
	if err != nil || second != first || first.users != 2 || h.sessions.byID[id] != first {
		t.Errorf("error %v, %d users of the session", err, first.users)
	}
	h.sessions.expire(first, false, errIdle)
}

// TestSessionKeepsNoClaims: a session does not keep the claims of the token that began it.
func TestSessionKeepsNoClaims(t *testing.T) {
	t.Parallel()
	h, err := NewHandler(&runtime.Server{Tools: &mcptool.Registry{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	access := &runtime.Access{Principal: "ada", Scopes: []string{"a"}, Claims: []byte(`{"tenant":"acme"}`)}
	s, err := h.sessions.open(t.Context(), "id", access, newReplayLog(0), nil)
	if err != nil {
		t.Fatal(err)
	}
	if s.access.Claims != nil || s.access.Principal != "ada" || len(s.scopes) != 1 || access.Claims == nil {
		t.Errorf("the session keeps %+v from %+v", s.access, access)
	}
	h.sessions.expire(s, false, errIdle)
}
