package mcptool

import (
	"context"
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/capability"
)

// ClientExtension identifies an extension and the clients that support it. Packages declare one in a variable and pass
// its address.
type ClientExtension struct {
	// ID is the identifier of the extension, such as "io.modelcontextprotocol/ui".
	ID string
	// Supports reports whether a client that has declared the extension with these settings, a JSON object, gets the
	// attachments. Nil means that every client that has declared the extension does. It must be quick, and safe for
	// concurrent use.
	Supports func(settings json.RawMessage) bool
}

// Extension returns the settings with which the client of the running call has declared a protocol extension, such as
// "io.modelcontextprotocol/ui", as JSON, and reports whether it has declared the extension. Settings are {} if there are
// none. From revision 2026-07-28 on every request declares the extensions anew, so do not keep the answer for other
// requests. Without a server, and outside a call, no extension is declared.
func Extension(ctx context.Context, id string) (settings json.RawMessage, declared bool) {
	return extensionIn(infoOf(ctx).Capabilities, id)
}

// extensionIn returns the settings with which capabilities declare an extension.
func extensionIn(capabilities []byte, id string) (settings json.RawMessage, declared bool) {
	path := "extensions." + id
	if !capability.Has(capabilities, path) {
		return nil, false
	}
	if settings = capability.Value(capabilities, path); len(settings) == 0 || settings[0] != '{' {
		settings = json.RawMessage("{}") // of clients that declare true
	}
	return settings, true
}
