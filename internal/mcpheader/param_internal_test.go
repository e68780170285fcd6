package mcpheader

import (
	"net/http"
	"testing"
)

// TestCanonical compares canonical with what it replaces, on names that are tokens, as those of headers are.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Mcp-Param-Region", "Mcp-Param-region", "MCP-PARAM-REGION-ID", "mcp-param-a1-_x!b", "Mcp-Param--", "Mcp-Param-x.y~Z"} {
		if got, want := canonical(name), http.CanonicalHeaderKey(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
