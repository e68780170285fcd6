package runtime

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// extensionPath is the prefix of the paths of capabilities that are extensions.
const extensionPath = "extensions."

// extensions are the valid extensions of a server.
type extensions struct {
	declared      []declaredExtension // in the order of Server.Extensions
	methods       customMethods       // including Server.Methods
	notifications map[string]clientNotification
	middleware    []mcptool.Middleware
	redirects     map[string]redirect
	unlisted      []func(*mcptool.Tool) bool
	tools         []string // names, sorted
}

// redirect returns the tool that a call is for, and its arguments: [Extension.Redirects].
type redirect = func(args json.RawMessage) (tool string, toolArgs json.RawMessage, ok bool)

// declaredExtension is an extension with its settings as JSON and the revisions in which it is declared.
type declaredExtension struct {
	id       string
	settings json.RawMessage
	span     wire.Span
}

// tasksExtension identifies the extension for tasks from revision 2026-07-28 on.
const tasksExtension = "io.modelcontextprotocol/tasks"

// clientNotification is a notification of clients for an extension.
type clientNotification struct {
	handle func(context.Context, json.RawMessage)
	span   wire.Span
}
