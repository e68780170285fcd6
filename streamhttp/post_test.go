package streamhttp_test

import (
	"net/http"
	"testing"
)

// TestContentEncoding: a compressed body is refused, and Accept-Encoding names the accepted encoding.
func TestContentEncoding(t *testing.T) {
	t.Parallel()
	server := serve(t, fixtureServer(t, nil))
	for coding, want := range map[string]int{"": 200, "identity": 200, "Identity": 200, "gzip": 415, "br": 415, "gzip, identity": 415} {
		response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), heading("tools/list", "", "Content-Encoding", coding))
		if response.status != want || (response.header.Get("Accept-Encoding") == "identity") != (want == 415) {
			t.Errorf("Content-Encoding %q: status %d, Accept-Encoding %q; want %d", coding, response.status, response.header.Get("Accept-Encoding"), want)
		}
	}
}
