package streamhttp_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime"
	"github.com/mcptool-go/mcptool/streamhttp"
)

// TestStaticTokens checks the response for each token.
func TestStaticTokens(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, notes(t, nil), streamhttp.StaticTokens(map[string]streamhttp.Token{
			"ada-reads":  {Principal: "ada", Scopes: []string{"notes:read"}},
			"ada-writes": {Principal: "ada", Scopes: []string{"notes:read", "notes:write"}, Audience: []string{"https://other.example.com"}},
			"eve":        {Principal: "eve", Expiry: time.Now().Add(time.Minute)},
		}))
		tests := []struct {
			name, token, tool string
			status            int
			want, challenge   string
		}{
			{"no token", "", "whoami", 401, "requires an access token", `Bearer realm="mcp"`},
			{"unknown", "mallory", "whoami", 401, "not valid", `Bearer error="invalid_token", error_description="the token is not valid", realm="mcp"`},
			{"part of one", "ada-read", "whoami", 401, "not valid", `Bearer error="invalid_token", error_description="the token is not valid", realm="mcp"`},
			{"principal", "ada-reads", "whoami", 200, "ada", ""},
			{"audience is ignored", "ada-writes", "write_note", 200, "", ""},
			{"scope", "ada-reads", "write_note", 403, "", `Bearer error="insufficient_scope", error_description="the tool needs scopes that the token lacks", realm="mcp", scope="notes:read notes:write"`},
			{"not expired", "eve", "whoami", 200, "eve", ""},
		}
		for _, test := range tests {
			header := heading("tools/call", test.tool)
			if test.token != "" {
				header = with(test.token, header)
			}
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/call", `,"name":"`+test.tool+`"`), header)
			challenge := response.header.Get("Www-Authenticate")
			if body := bodyOf(t, response); response.status != test.status || !strings.Contains(body, test.want) || challenge != test.challenge {
				t.Errorf("%s: status %d, %s, %s; want %d, %s, %s", test.name, response.status, body, challenge, test.status, test.want, test.challenge)
			}
		}
		time.Sleep(time.Minute)
		if response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with("eve", heading("tools/list", ""))); response.status != http.StatusUnauthorized {
			t.Errorf("expired token: status %d", response.status)
		}
	})
}

// TestLastProtection checks that the last of several StaticTokens and Protect options applies.
func TestLastProtection(t *testing.T) {
	t.Parallel()
	static := func(token string) streamhttp.Option {
		return streamhttp.StaticTokens(map[string]streamhttp.Token{token: {Principal: "ann"}})
	}
	for name, test := range map[string]struct {
		options []streamhttp.Option
		token   string // the only valid token
	}{
		"two of StaticTokens": {[]streamhttp.Option{static("first"), static("second")}, "second"},
		"then Protect":        {[]streamhttp.Option{static("first"), protection(t, nil)}, "ada"},
		"Protect before":      {[]streamhttp.Option{protection(t, nil), static("first")}, "first"},
	} {
		server := serve(t, notes(t, nil), test.options...)
		for _, token := range []string{"first", "second", "ada"} {
			response := server.do(t.Context(), http.MethodPost, modern("1", "tools/list", ""), with(token, heading("tools/list", "")))
			if got := response.status == http.StatusOK; got != (token == test.token) {
				t.Errorf("%s: the token %s: status %d", name, token, response.status)
			}
		}
	}
}

// TestStaticTokenMistakes checks that mistakes are reported, and that the errors do not contain the tokens.
func TestStaticTokenMistakes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		tokens map[string]streamhttp.Token
		want   string
	}{
		"none":                 {nil, "there are no tokens"},
		"empty":                {map[string]streamhttp.Token{"": {Principal: "ada"}}, `StaticTokens: the token of "ada" is empty`},
		"two words":            {map[string]streamhttp.Token{"s3 cret": {Principal: "ada"}}, `StaticTokens: the token of "ada" has characters that tokens cannot have`},
		"no principal":         {map[string]streamhttp.Token{"s3cret": {}}, "StaticTokens: a token has no Principal"},
		"scopes as one":        {map[string]streamhttp.Token{"s3cret": {Principal: "ada", Scopes: []string{"a b"}}}, `the scope "a b" of "ada" is not a valid scope`},
		"claims not an object": {map[string]streamhttp.Token{"s3cret": {Principal: "ada", Claims: json.RawMessage(`["a"]`)}}, `the Claims of "ada" are not a JSON object`},
		"null claims":          {map[string]streamhttp.Token{"s3cret": {Principal: "ada", Claims: json.RawMessage(`null`)}}, `the Claims of "ada" are not a JSON object`},
		"claims not JSON":      {map[string]streamhttp.Token{"s3cret": {Principal: "ada", Claims: json.RawMessage(`{"a"`)}}, `the Claims of "ada" are not a JSON object`},
		"several at once":      {map[string]streamhttp.Token{"s3cret": {Principal: "ada", Scopes: []string{"a b"}}, "s3": {}}, "has no Principal\nStaticTokens"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := streamhttp.Serve(t.Context(), &pipeListener{closed: make(chan struct{})}, &runtime.Server{Tools: &mcptool.Registry{}}, streamhttp.StaticTokens(test.tokens))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3") {
				t.Errorf("got %v, want %s without the token", err, test.want)
			}
		})
	}
}
