package streamhttp_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// TestMismatchIsAudited: a call whose headers differ from its body is refused, and audited.
func TestMismatchIsAudited(t *testing.T) {
	t.Parallel()
	srv := notes(t, nil)
	var log bytes.Buffer
	srv.Observer = audit.New(slog.New(slog.NewJSONHandler(&log, nil)))
	server := serve(t, srv)
	response := server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"whoami"`), heading("tools/call", "list_notes"))
	if body := bodyOf(t, response); response.status != http.StatusBadRequest || !strings.Contains(body, `"code":-32020`) || !strings.Contains(body, `"id":1`) {
		t.Errorf("status %d: %s", response.status, body)
	}
	if err := srv.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, `"tool":"whoami"`) || !strings.Contains(got, `"outcome":"refused"`) {
		t.Errorf("audit record: %s", got)
	}
}
