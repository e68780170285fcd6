package gosdk_test

import (
	"context"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/mcptool-go/mcptool/integrations/gosdk"
	"github.com/mcptool-go/mcptool/internal/testing/hosting"
	"github.com/mcptool-go/mcptool/runtime"
)

// allowed are the differences between our server and the SDK's server with our tools: all are made by the SDK, before or
// after the engine.
var allowed = map[string]string{
	"resources cannot be subscribed to, unless the SDK's server has a SubscribeHandler": `(initialize|discover) 1\.result\.capabilities\.resources\.subscribe`,
	"the SDK does not support tasks":                                                     `initialize 1\.result\.capabilities\.tasks\..*`,
	"the SDK does not support the tasks extension":                                       `discover 1\.result\.capabilities\.extensions\..*`,
	"the SDK has no member execution":                                                    `list 1\.result\.tools\.long\.execution\.taskSupport`,
	"the SDK sends caching hints in all revisions":                                       `(list|prompts|resources|templates|resource|template) 1\.result\.ttlMs`,
	"the SDK sends the scope of caching hints in all revisions, and public for contents": `(list|prompts|resources|templates|resource|template) 1\.result\.cacheScope`,
	"the SDK always sends readOnlyHint":                                                  `list 1\.result\.tools\.drop_table\.annotations\.readOnlyHint`,
	"the SDK always sends idempotentHint":                                                `list 1\.result\.tools\.drop_table\.annotations\.idempotentHint`,
	"the SDK has one code for missing resources in all revisions":                        `(no such note|unknown resource) 1\.error\.code`,
	"the SDK sends the mode of forms in all revisions":                                   `.* \d\.params\.mode`,
	"the SDK lets everybody cache the description of the server":                         `discover 1\.result\.cacheScope`,
	"the SDK sends content with requests to the client":                                  `.*\.result\.content`,
	"the SDK validates answers with its own texts":                                       `wrong answer 2\.result\.content\.0\.text`,
}

func TestDiffer(t *testing.T) {
	t.Parallel()
	hosting.Compare(t, hosting.Host{Serve: serveTheirs, Allowed: allowed})
}

// serveTheirs serves the items of s with the SDK.
func serveTheirs(ctx context.Context, s *runtime.Server, in io.Reader, out io.Writer) error {
	server := mcp.NewServer(&mcp.Implementation{Name: s.Name, Version: s.Version}, nil)
	s.Name, s.Version = "inner", "2" // not sent: clients get the name and version of server
	if err := gosdk.Mount(ctx, server, s); err != nil {
		return err
	}
	return server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopCloser{out}})
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
