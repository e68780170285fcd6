package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// TestIgnoreUnknownArguments checks the list, a call and the audit record in every revision.
func TestIgnoreUnknownArguments(t *testing.T) {
	t.Parallel()
	type addIn struct {
		A int `json:"a"`
	}
	for _, ignores := range []bool{false, true} {
		for _, revision := range revisions {
			add, err := mcptool.New(func(_ context.Context, in addIn) (int, error) { return in.A + 1, nil }, mcptool.Name("add"))
			if err != nil {
				t.Fatal(err)
			}
			srv := serve(t, add)
			srv.IgnoreUnknownArguments = ignores
			var seen string
			srv.Middleware = []mcptool.Middleware{func(next mcptool.Handler) mcptool.Handler {
				return func(ctx context.Context, args json.RawMessage) (*mcptool.Result, error) {
					seen = string(args)
					return next(ctx, args)
				}
			}}
			log := new(journal)
			srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
			w := open(t, srv)
			request := modern
			if revision != modernRevision {
				w.handshake(revision)
				request = func(id, method, params string) string { return legacy(id, method, strings.TrimPrefix(params, ",")) }
			}
			w.send(request("1", "tools/list", ""))
			closed, text, arguments := `"additionalProperties":false`, "unit: is not a known property", `{"unit":"m","a":1}`
			var logged any
			if ignores {
				closed, text, arguments, logged = `"additionalProperties":true`, `"text":"2"`, `{"a":1}`, "unit"
			}
			if list := w.next(); !strings.Contains(list, closed) {
				t.Errorf("ignores %v in %s: the list has no %s: %s", ignores, revision, closed, list)
			}
			w.send(request("2", "tools/call", `,"name":"add","arguments":{"unit":"m","a":1}`))
			if got := w.next(); !strings.Contains(got, text) || seen != arguments {
				t.Errorf("ignores %v in %s: middleware got %s and the client %s, want %s and %s", ignores, revision, seen, got, arguments, text)
			}
			w.session.Close(t.Context())
			if records := auditOf(t, log); len(records) != 1 || records[0]["unknown"] != logged {
				t.Errorf("ignores %v in %s: the audit records are %v, want unknown %v", ignores, revision, records, logged)
			}
			if !strings.Contains(add.InputSchema().String(), `"additionalProperties":false`) {
				t.Error("the tool in the registry has changed")
			}
		}
	}
}
