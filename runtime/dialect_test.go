package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/mcptool"
)

// TestDialect: $schema is listed from revision 2025-11-25 on, whose schemas may have it.
func TestDialect(t *testing.T) {
	t.Parallel()
	const dialect = `"$schema":"https://json-schema.org/draft/2020-12/schema"`
	tool, err := mcptool.NewRaw("n", json.RawMessage(`{`+dialect+`,"type":"object","properties":{"a":true}}`),
		func(context.Context, json.RawMessage) (*mcptool.Result, error) { return &mcptool.Result{}, nil })
	if err != nil {
		t.Fatal(err)
	}
	for version, want := range map[string]bool{"2024-11-05": false, "2025-03-26": false, "2025-06-18": false, "2025-11-25": true} {
		t.Run("T-JSC-10 "+version, func(t *testing.T) {
			t.Parallel()
			w := open(t, serve(t, tool))
			w.handshake(version)
			w.send(legacy("1", "tools/list", ""))
			if msg := w.want(`"properties":{"a":{}}`); strings.Contains(msg, dialect) != want {
				t.Error(msg)
			}
		})
	}
}
