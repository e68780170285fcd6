package client

import (
	"encoding/json"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// Declares reports whether the server declares a capability, such as "tools", "prompts", "resources" or "completions".
// Revision 2024-11-05 has no capability for completions, so they count as declared. If the capabilities cannot be
// decoded, none is declared.
func (c *Client) Declares(capability string) bool {
	if capability == "completions" && c.server.Revision == "2024-11-05" {
		return true
	}
	_, ok := c.capability(capability)
	return ok
}

// capability returns the settings of a capability; false if the server does not declare it.
func (c *Client) capability(name string) (json.RawMessage, bool) {
	all, _, err := strictjson.Members(c.server.Capabilities)
	if err != nil {
		return nil, false
	}
	settings, ok := all[name]
	return settings, ok && string(settings) != "null"
}

// DeclaresTasks reports whether tools of a modern server may run as tasks.
func (c *Client) DeclaresTasks() bool {
	return c.DeclaresExtension(tasksExtension)
}

// DeclaresExtension reports whether the server declares an extension of the protocol.
func (c *Client) DeclaresExtension(id string) bool {
	settings, _ := c.capability("extensions")
	extensions, _, err := strictjson.Members(settings)
	return err == nil && extensions[id] != nil
}

// followsResources reports whether the server declares resource subscriptions.
func (c *Client) followsResources() bool {
	settings, _ := c.capability("resources")
	var can struct {
		Subscribe bool `json:"subscribe"`
	}
	return strictjson.Decode(settings, &can) == nil && can.Subscribe
}
