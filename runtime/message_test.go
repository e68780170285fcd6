package runtime_test

import (
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/runtime"
)

// TestReadInto: reading into a used Message leaves nothing of the previous one.
func TestReadInto(t *testing.T) {
	t.Parallel()
	type parts struct {
		kind                                      runtime.MessageKind
		id, method, version, subject              string
		hasVersion, hasSubject, hasAccess, isOnly bool
	}
	describe := func(m *runtime.Message) (p parts) {
		p.kind, p.id, p.method = m.Kind, string(m.ID()), m.Method()
		p.version, p.hasVersion = m.ProtocolVersion()
		p.subject, p.hasSubject = runtime.Subject(m)
		p.hasAccess, p.isOnly = m.Access != nil || m.Memory != nil || m.Header != nil, m.Revision != "" || m.Stateless
		return p
	}
	srv := &runtime.Server{Limits: runtime.Limits{MaxMessageBytes: 500}}
	runtime.Fixed(srv).MaxDepth, runtime.Fixed(srv).MaxValues = 8, 20
	texts := []string{
		`{"jsonrpc":"2.0","id":"secret","method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"x"}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`,
		`[`, `[]`, ``, `{`, `{"id":2`, `{"jsonrpc":"2.0","id":3,"method":"ping","params":` + strings.Repeat("[", 9),
		`{"jsonrpc":"2.0","id":4,"method":"ping","params":{"x":[` + strings.Repeat("0,", 30) + `0]}}`,
		`{"jsonrpc":"2.0","id":5,"method":"` + strings.Repeat("x", 600),
	}
	for _, before := range texts {
		for _, text := range texts {
			m := srv.Read([]byte(before))
			m.Access, m.Header, m.Revision, m.Stateless = (*engine.Access)(&runtime.Access{}), map[string][]string{}, "2025-11-25", true
			runtime.ReadInto(srv, m, []byte(text))
			if got, want := describe(m), describe(srv.Read([]byte(text))); got != want {
				t.Errorf("reading %.40q after %.40q: got %+v, want %+v", text, before, got, want)
			}
		}
	}
}
