package house_test

import (
	"regexp"
	"strings"
	"testing"
)

// docLink is a link of a doc comment to a name of the same package.
var docLink = regexp.MustCompile(`(?:^|\W)\[\*?([A-Z]\w*(?:\.[A-Z]\w*)?)\]`)

// TestDocumented: where the protocol obliges authors and operators rather than the library, the documentation of what they
// use states the facts: these words and links, in whatever sentence.
func TestDocumented(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, symbol string // "package.Name", or "package" for its own documentation
		facts        []string
	}{
		{"T-META-03 prefixes of one's own", "mcptool.Meta", []string{"com.example/name"}},
		{"T-XHDR-07 secrets in headers", "mcptool", []string{"x-mcp-header", "secret", "personal"}},
		{"T-JSC-03 dialects", "mcptool.InputSchema", []string{"2020-12", "draft-07", `"$schema"`}},
		{"T-CONT-05 resources of a server of tools (A-17)", "mcptool.EmbeddedResource", []string{"no resources", "[ResourceLink]", "https"}},
		{"T-ICON-03 kinds of picture", "mcptool.Icon", []string{"PNG", "JPEG"}},
		{"T-LOG-10 secrets in logs", "mcptool.Logger", []string{"secrets"}},
		{"T-ELIC-04 T-ELIC-05 secrets in forms", "mcptool.Elicit", []string{"secrets", "passwords", "[ElicitURL]"}},
		{"T-ELIC-14 secrets in addresses", "mcptool.ElicitURL", []string{"secret or personal", "https"}},
		{"T-ELIC-15 who visits a page", "mcptool.ElicitURL", []string{"check", "visitor"}},
		{"T-SAMP-08 sampling is deprecated", "mcptool.Sample", []string{"2026-07-28", "deprecates"}},
		{"T-ROOT-03 what roots permit", "mcptool.Roots", []string{"no permission", "check the paths"}},
		{"T-ROOT-04 roots are deprecated", "mcptool.Roots", []string{"2026-07-28", "deprecates"}},
		{"T-HTTPL-03 T-HTTPM-03 where to listen", "streamhttp", []string{`"127.0.0.1:8080"`, "[Protect]"}},
		{"T-SEC-07 servers for one person", "streamhttp", []string{"package stdio", "Unix socket"}},
		{"T-SEC-06 what to beware of over HTTP", "streamhttp", []string{"[AllowOrigins]", "[AllowHosts]", "[Protect]"}},
		{"T-SEC-06 what to beware of in a tool", "mcptool.CallInfo", []string{"Principal", "verified"}},
		{"T-EXT-04 extensions", "runtime", []string{"io.modelcontextprotocol/tasks", "taskcall.go"}},
		{"T-CUST-02 transports of one's own", "runtime", []string{"[Session]", "[Outbox]"}},
		{"T-CUST-02 streams of bytes", "stdio.In", []string{"socket", "standard input"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			pkg, symbol, _ := strings.Cut(test.symbol, ".")
			doc, ok := docsOf(t, packages[pkg])[symbol]
			if !ok {
				t.Fatalf("there is no %s", test.symbol)
			}
			text := strings.Join(strings.Fields(doc), " ")
			for _, fact := range test.facts {
				if !strings.Contains(text, fact) {
					t.Errorf("the documentation of %s does not have %q", test.symbol, fact)
				}
			}
			for _, link := range docLink.FindAllStringSubmatch(text, -1) {
				if _, ok := docsOf(t, packages[pkg])[link[1]]; !ok {
					t.Errorf("the documentation of %s links to %s, which is not there", test.symbol, link[1])
				}
			}
		})
	}
}
