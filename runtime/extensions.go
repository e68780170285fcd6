package runtime

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// extensionPath is the prefix of the paths of capabilities that are extensions.
const extensionPath = "extensions."

// extensions are the valid extensions of a server.
type extensions struct {
	declared      []declaredExtension // in the order of Server.Extensions
	methods       Methods             // including Server.Methods
	notifications map[string]clientNotification
	middleware    []mcptool.Middleware
	mistakes      error
}

// declaredExtension is an extension with its settings as JSON and the revisions in which it is declared.
type declaredExtension struct {
	id       string
	settings json.RawMessage
	span     wire.Span
}

// declares reports whether the client of the request has declared the extension: in the request itself, or in the
// handshake of a legacy session.
func (r *request) declares(id string) bool {
	return capability.Has(r.capabilities(), extensionPath+id)
}

// capabilities returns the capabilities that the client of the request has declared, as JSON; nil if none.
func (r *request) capabilities() []byte {
	if r.version.Has(wire.PerRequest) {
		return r.params.Meta.ClientCapabilities
	}
	if h := r.from.hello.Load(); h != nil {
		return h.capabilities
	}
	return nil
}

// requireExtension refuses a request whose client has not declared the extension; "" requires none.
func (r *request) requireExtension(id string) *wireError {
	if id == "" || r.declares(id) {
		return nil
	}
	return missingCapability(&mcptool.CapabilityError{Missing: []string{extensionPath + id}}, r.version, r.from.limits.MaxTextBytes)
}

// tasksExtension identifies the extension for tasks from revision 2026-07-28 on.
const tasksExtension = "io.modelcontextprotocol/tasks"
