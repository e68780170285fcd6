package stdio

import (
	"fmt"

	"github.com/mcptool-go/mcptool/runtime"
)

// tryLine is a request that works without a handshake.
const tryLine = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
	`"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}}}`

// notice returns the text for a person who has started a server in a terminal.
func notice(srv *runtime.Server) string {
	name, version := transport.Identity(srv)
	return fmt.Sprintf("%s %s\nAn MCP server. It reads JSON messages of a client from standard input.\n\n"+
		"To list its tools, paste this line and press Enter:\n\n%s\n\nTo end it, press Ctrl-C.\n\n", name, version, tryLine)
}
