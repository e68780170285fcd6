package house_test

import (
	"os"
	"strings"
	"testing"
)

// TestDocumented: where the protocol binds authors and operators rather than the library, what it
// wants is told in the documentation of what they use.
func TestDocumented(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, file, text string }{
		{"T-META-03 prefixes of one's own", "mcptool/option.go", "A key is a name, best with a domain of yours in front, reversed"},
		{"T-XHDR-07 secrets in headers", "mcptool/paramheader.go", "mark no argument that is secret or personal"},
		{"T-JSC-03 dialects", "mcptool/option.go", `2020-12, or draft-07 when "$schema" says so`},
		{"T-CONT-05 resources of a server of tools (A-17)", "mcptool/content.go", "A server of tools alone has no resources that a client could read again"},
		{"T-ICON-03 kinds of picture", "mcptool/icon.go", "Offer PNG or JPEG: a client that shows icons knows at least those"},
		{"T-LOG-10 secrets in logs", "mcptool/logger.go", "Log no secrets: the client is another party"},
		{"T-ELIC-04 T-ELIC-05 secrets in forms", "mcptool/elicit.go", "Never ask for secrets in a form, passwords, keys or card numbers: [ElicitURL] is for those"},
		{"T-ELIC-14 secrets in addresses", "mcptool/elicit.go", "It holds nothing secret or personal, and is https"},
		{"T-ELIC-15 who visits a page", "mcptool/elicit.go", "it must also check that its visitor is who was asked"},
		{"T-SAMP-08 sampling is deprecated", "mcptool/sample.go", "Revision 2026-07-28 of the protocol deprecates sampling"},
		{"T-ROOT-03 what roots permit", "mcptool/roots.go", "They are what the client says, and no permission: check the paths of a call yourself"},
		{"T-ROOT-04 roots are deprecated", "mcptool/roots.go", "Revision 2026-07-28 of the protocol deprecates roots"},
		{"T-HTTPL-03 T-HTTPM-03 where to listen", "streamhttp/doc.go", `server := &http.Server{Addr: "127.0.0.1:8080",`},
		{"T-SEC-07 servers for one person", "streamhttp/doc.go", "a server for one person is better off with package stdio"},
		{"T-SEC-06 what to beware of over HTTP", "streamhttp/doc.go", "# Who may send"},
		{"T-SEC-06 what to beware of in a tool", "mcptool/callinfo.go", "Use it for logs and for rules of your own, not to trust"},
		{"T-EXT-04 extensions", "runtime/doc.go", "the extension io.modelcontextprotocol/tasks of later ones, where the server does (taskcall.go). Clients that have neither call the tool and wait."},
		{"T-CUST-02 transports of one's own", "runtime/doc.go", "A transport opens a [Session] per connection, hands it each message that comes in, and gives it an [Outbox] for those that go out"},
		{"T-CUST-02 streams of bytes", "stdio/option.go", "In makes Serve read from r instead of the process's standard input: one end of a socket"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			source, err := os.ReadFile(test.file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(prose(string(source)), test.text) {
				t.Errorf("%s does not say: %s", test.file, test.text)
			}
		})
	}
}

// prose returns the text of a file in one line, without the marks of comments.
func prose(source string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(source, "//", "")), " ")
}
