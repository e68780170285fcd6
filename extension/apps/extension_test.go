package apps_test

import (
	"testing"

	"github.com/mcptool-go/mcptool/extension/apps"
)

// TestSupports checks which clients get the view (APP-03).
func TestSupports(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, capabilities string
		want               bool
		reason             string
	}{
		{"declared", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}}}`, true, "as in the specification"},
		{"one of several", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/uri-list","text/html; profile=\"mcp-app\""],"x":1}}}`, true, "the same media type, written differently"},
		{"no types", `{"extensions":{"io.modelcontextprotocol/ui":{}}}`, true, "the npm package has the member as optional"},
		{"other types", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":["text/html"]}}}`, false, "another profile may need another document"},
		{"empty", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":[]}}}`, false, "it shows nothing"},
		{"no list", `{"extensions":{"io.modelcontextprotocol/ui":{"mimeTypes":"text/html;profile=mcp-app"}}}`, false, "it is no list"},
		{"another extension", `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, false, "it was not declared"},
		{"nothing", `{}`, false, "it was not declared"},
	}
	extension := internals.Settings(define(t, apps.Visibility(apps.AudienceApp))).Attachments[0].Extension
	for _, test := range tests {
		if got := internals.SupportedBy(extension, []byte(test.capabilities)); got != test.want {
			t.Errorf("%s: %v, want %v: %s", test.name, got, test.want, test.reason)
		}
	}
	if apps.Supported(t.Context()) {
		t.Error("without a server there is a client that shows views")
	}
}
