package runtime_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/runtime/observe/audit"
)

// TestAuditRefused: invalid calls are audited.
func TestAuditRefused(t *testing.T) {
	t.Parallel()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, test := range []struct {
		name, params string
		mismatch     error
		code         string
	}{
		{"T-SEC-05 no name", meta, nil, `"code":-32602`},
		{"T-SEC-05 repeated name", `"name":"x","name":"x",` + meta, nil, `"code":-32602`},
		{"T-SEC-05 bad progress token", `"name":"x",` + strings.Replace(meta, `{`, `{"progressToken":{},`, 1), nil, `"code":-32602`},
		{"T-SEC-05 header mismatch", `"name":"x",` + meta, errors.New("the header Mcp-Name does not match the body"), `"code":-32020,"message":"the header Mcp-Name does not match the body"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			srv := serve(t, tool(t, "x", echo))
			log := new(journal)
			srv.Observer = audit.New(slog.New(slog.NewJSONHandler(log, nil)))
			m := srv.Read([]byte(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{` + test.params + `}}`))
			m.Access, m.Stateless, m.Mismatch = (*engine.Access)(&runtime.Access{Principal: "ann"}), true, test.mismatch
			x := &collector{end: make(chan []byte, 1)}
			session := srv.Open(t.Context(), x)
			session.Serve(m, x)
			if got := string(<-x.end); !strings.Contains(got, test.code) {
				t.Errorf("got %s, want %s", got, test.code)
			}
			if err := session.Close(t.Context()); err != nil {
				t.Error(err)
			}
			records := auditOf(t, log)
			if len(records) != 1 || records[0]["outcome"] != "refused" || records[0]["principal"] != "ann" {
				t.Errorf("records = %v, want one refused call of ann", records)
			}
		})
	}
}
