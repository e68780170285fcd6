package mcpheader

import (
	"net/http"
	"testing"
)

// TestCanonical compares canonical with http.CanonicalHeaderKey, which it replaces, on valid header names.
func TestCanonical(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Mcp-Param-Region", "Mcp-Param-region", "MCP-PARAM-REGION-ID", "mcp-param-a1-_x!b", "Mcp-Param--", "Mcp-Param-x.y~Z"} {
		if got, want := canonical(name), http.CanonicalHeaderKey(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
