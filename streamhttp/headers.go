package streamhttp

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/mcpheader"
)

// The headers of the protocol, in canonical form.
const (
	headerVersion   = "Mcp-Protocol-Version"
	headerMethod    = "Mcp-Method"
	headerName      = "Mcp-Name"
	headerSession   = "Mcp-Session-Id"
	headerLastEvent = "Last-Event-Id"
)

// header returns the first value of a header; "" if there is none. The name must be in canonical form, which makes it
// much faster than Get.
func header(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// checkHeaders compares the headers of a modern request with the parts of the
// body that they repeat for proxies. The error describes the first difference.
func checkHeaders(h http.Header, m *engine.Message) error {
	version, named := m.ProtocolVersion()
	if m.Kind != engine.Request || !named && (m.Method() == methodInitialize || header(h, headerVersion) != "") {
		return nil // or the error of the engine is more precise
	}
	if err := compare(h, headerVersion, version, false); err != nil {
		return err
	}
	if err := compare(h, headerMethod, m.Method(), false); err != nil {
		return err
	}
	if name, ok := transport.Subject(m); ok {
		return compare(h, headerName, name, true)
	}
	return nil
}

// quoted returns a value that a client has sent, quoted for an error text and cut to 100 bytes.
func quoted(value string) string {
	const most = 100
	return strconv.QuoteToASCII(value[:min(len(value), most)])
}

// compare compares one header, which may be encoded if encoded is set, with the value in the body.
func compare(h http.Header, name, want string, encoded bool) error {
	value, err := mcpheader.Single(h, name)
	if err == nil && encoded {
		value, err = mcpheader.Decode(value)
	}
	switch {
	case err != nil:
		return fmt.Errorf("the header %s %w", name, err)
	case value != want:
		return fmt.Errorf("the header %s is %s, but the body has %s", name, quoted(value), quoted(want))
	}
	return nil
}

const methodInitialize = "initialize"

// namedRevision returns the revision in the header of a request; "" if there is none. The problem is not "" if the
// revision is not supported, or if the header is repeated with another one.
func namedRevision(h http.Header, supported []string) (revision, problem string) {
	for _, named := range h[headerVersion] {
		switch {
		case named == "" || named == revision:
		case revision != "":
			return "", "the header " + headerVersion + " is repeated, with " + quoted(revision) + " and " + quoted(named)
		case !slices.Contains(supported, named):
			return "", "the header " + headerVersion + " is " + quoted(named) + "; supported are " + strings.Join(supported, ", ")
		default:
			revision = named
		}
	}
	return revision, ""
}
