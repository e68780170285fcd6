package mcpgo_test

import (
	"context"
	"io"
	"testing"

	"github.com/mark3labs/mcp-go/server"

	"github.com/mcptool-go/mcptool/integrations/mcpgo"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/runtime"
)

// allowed are the differences between our server and a server of mcp-go with our tools: all are
// made by mcp-go, or because it answers all errors of handlers with one code.
var allowed = map[string]string{
	"resources cannot be subscribed to":                          `(initialize|discover) 1\.result\.capabilities\.resources\.subscribe`,
	"our tasks are not available":                                `initialize 1\.result\.capabilities\.tasks\..*`,
	"our extension for tasks is not available":                   `discover 1\.result\.capabilities\.extensions\..*`,
	"our tools have no member execution":                         `list 1\.result\.tools\.long\.execution\.taskSupport`,
	"mcp-go always sends annotations of tools":                   `list 1\.result\.tools\.[a-z_]+\.annotations`,
	"mcp-go always sends a description and a MIME type of links": `blocks 1\.result\.content\.x\.(description|mimeType)`,
	"mcp-go sends content with requests to the client":           `.* \d\.result\.content`,
	"mcp-go sends requests for roots without params":             `roots 1\.result\.inputRequests\.q1\.params`,
	"errors of the engine about calls are results":               `array 1\.(error\.(code|message)|result\..*)`,
	"unknown items have the texts of mcp-go":                     `(hidden|unknown|unknown prompt|unknown resource|no such note) 1\.error\.message`,
	"errors about prompts and resources have one code":           `(invalid prompt|invalid variable|no such note) 1\.error\.code`,
	"errors have no data":                                        `(unknown resource|no such note) 1\.error\.data\.uri`,
}

func TestDiffer(t *testing.T) { //nolint:paralleltest // mcp-go has one session over stdio per process
	hosting.Compare(t, hosting.Host{Serve: serveStdio, IsUnordered: true, Allowed: allowed})
}

// serveStdio serves the items of s with mcp-go.
func serveStdio(ctx context.Context, s *runtime.Server, in io.Reader, out io.Writer) error {
	srv := server.NewMCPServer(s.Name, s.Version, server.WithLogging(), server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(false, true), server.WithInputSchemaValidation(), server.WithOutputSchemaValidation())
	s.Name, s.Version = "inner", "2" // not sent: clients get the name and version of srv
	if err := mcpgo.Mount(ctx, srv, s); err != nil {
		return err
	}
	return server.NewStdioServer(srv).Listen(ctx, in, out)
}
