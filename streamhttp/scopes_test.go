package streamhttp_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/syncbuffer"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestScopesWithoutAuthentication: if callers are not authenticated, one warning names the tools that need scopes.
func TestScopesWithoutAuthentication(t *testing.T) {
	t.Parallel()
	authenticating := func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.ServeHTTP(w, r.WithContext(streamhttp.WithAccess(r.Context(), runtime.Access{Principal: "ann"})))
		})
	}
	for _, test := range []struct {
		name   string
		scopes bool
		opts   []streamhttp.Option
		wrap   func(http.Handler) http.Handler
		want   int
	}{
		{"no authentication", true, nil, nil, 1},
		{"no scopes", false, nil, nil, 0},
		{"Protect", true, []streamhttp.Option{protection(t, nil)}, nil, 0},
		{"WithAccess", true, nil, authenticating, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			log := &syncbuffer.Buffer{}
			srv := notes(t, slog.New(slog.NewTextHandler(log, nil)))
			if !test.scopes {
				for tool := range srv.Tools.Tools() {
					if len(tool.Info().Scopes) > 0 {
						srv.Tools.Remove(tool)
					}
				}
			}
			var handler http.Handler = newHandler(t, srv, test.opts...)
			if test.wrap != nil {
				handler = test.wrap(handler)
			}
			server := serveHandlerAt(t, loopback, handler)
			for range 2 {
				bodyOf(t, server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "")))
			}
			if n := strings.Count(log.String(), `level=WARN msg="callers are not authenticated`); n != test.want {
				t.Errorf("%d warnings, want %d: %s", n, test.want, log)
			}
			if test.want > 0 && !strings.Contains(log.String(), `count=3 hidden="delete_user, list_notes, write_note"`) {
				t.Error(log)
			}
		})
	}
}
