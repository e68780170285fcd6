package streamhttp

import (
	"net/http"
	"strings"
	"testing"

	"github.com/mcptool-go/mcptool/internal/testing/hang"
)

// FuzzBearer checks that bearer returns either a valid token that is in the header, or a well-formed challenge.
func FuzzBearer(f *testing.F) {
	for _, seed := range []string{"", "Bearer", "Bearer ", "Bearer x", "bearer  x==", "Basic eA==", "Bearer a b", "Bearer a=b", "Bearer =", "Bearer \"", "Bearer\tx", "\x00", " Bearer x "} {
		f.Add(seed)
	}
	p := &Protection{metadataURL: "https://mcp.example.com" + MetadataPath, scopes: []string{"a", "b"}}
	watch := hang.Watch(f)
	f.Fuzz(func(t *testing.T, value string) {
		defer watch()()
		token, failure := p.bearer(http.Header{"Authorization": {value}})
		if failure == nil {
			if !strings.HasSuffix(strings.TrimRight(value, " \t"), " "+token) || !isToken(token) || strings.ContainsAny(token, " \t\",\\") {
				t.Errorf("bearer(%q) = %q", value, token)
			}
			return
		}
		if challenge := failure.header.Get(headerChallenge); token != "" || failure.status != http.StatusBadRequest || strings.ContainsAny(challenge, "\r\n\\") || strings.Count(challenge, `"`)%2 != 0 {
			t.Errorf("bearer(%q) = %q, status %d, challenge %s", value, token, failure.status, challenge)
		}
	})
}
