package mcptool

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/jsondoc"
	"github.com/mcptool-go/mcptool/internal/rawjson"
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

// Attachment is the part of a tool that a protocol extension adds. Packages of extensions, such as extension/apps,
// create options from it with [Attach]; authors of tools use those options.
type Attachment struct {
	// Extension is the extension that Meta belongs to; required. A server that serves the tool declares the extension to
	// its clients.
	Extension *ClientExtension
	// Meta are members of the tool's _meta in tools/list, for clients that support the extension. Unlike members of the
	// option [Meta], they may have any name that the extension defines. The values are encoded when the tool is
	// defined. If two attachments have the same member, both values must be JSON objects, whose members are joined; the
	// same member in both is a mistake.
	Meta map[string]any
	// Resources are added to the registry with the tool, and removed with it. If several tools bring resources with the
	// same URI, the registry keeps the first, so the URI should depend on the contents.
	Resources []*Resource
	// Mistakes are the mistakes that the extension has found. They are reported with all others when the tool is
	// defined.
	Mistakes []Mistake
}

// joinMeta returns the members of a and b, whose values are JSON. If both have a member, its values are joined if they
// are objects; otherwise twice is the name of the first member that cannot be joined.
func joinMeta(a, b map[string]any) (joined map[string]any, twice string) {
	joined = make(map[string]any, len(a)+len(b))
	maps.Copy(joined, a)
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if joined[key] == nil {
			joined[key] = b[key]
			continue
		}
		ours, theirs := rawMembers(joined[key]), rawMembers(b[key])
		if ours == nil || theirs == nil {
			return joined, key
		}
		for _, name := range slices.Sorted(maps.Keys(theirs)) {
			if ours[name] != nil {
				return joined, key + "." + name
			}
			ours[name] = theirs[name]
		}
		joined[key] = json.RawMessage(append(rawjson.AppendRawMembers([]byte{'{'}, ours), '}'))
	}
	return joined, ""
}

// rawMembers returns the members of a JSON object; nil if value is not an object.
func rawMembers(value any) map[string]any {
	raw, _ := value.(json.RawMessage)
	doc := jsondoc.Parse(raw)
	if !doc.IsObject() {
		return nil
	}
	members := map[string]any{}
	for _, m := range doc.Members {
		members[m.Name] = json.RawMessage(m.Value.AppendTo(nil))
	}
	return members
}
