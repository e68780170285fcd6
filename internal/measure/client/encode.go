package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"

	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
)

// clientInfo identifies this client to servers.
const clientInfo = `{"name":"mcptool-bench","title":"bench of mcptool","version":"1.0.0"}`

// metaPrefix is the prefix of _meta keys defined by the protocol.
const metaPrefix = "io.modelcontextprotocol/"

// requestHead is the beginning of every request, up to the id.
const requestHead = `{"jsonrpc":"2.0","id":`

// members are the members of a JSON object.
type members map[string]json.RawMessage

// encode returns a JSON-RPC request without line breaks. params is an object or nil. meta is added to its _meta; it is
// nil in the legacy era, which requires none.
func encode(id int64, method string, params json.RawMessage, meta members) ([]byte, error) {
	all, err := membersOf(params)
	if err == nil && meta != nil {
		var own members
		if own, err = membersOf(all["_meta"]); err == nil {
			maps.Copy(own, meta)
			all["_meta"], err = json.Marshal(own)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("params of %s: %w", method, err)
	}
	if params == nil && meta == nil {
		all = nil
	}
	// Arguments are sent as they are, even if a server will reject them.
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false)
	err = encoder.Encode(struct {
		Method string  `json:"method"`
		Params members `json:"params,omitzero"`
	}{method, all})
	if err != nil {
		return nil, fmt.Errorf("params of %s: %w", method, err)
	}
	text := strictjson.Repair(bytes.TrimSpace(body.Bytes()))
	return append(append(strconv.AppendInt([]byte(requestHead), id, 10), ','), text[1:]...), nil
}

// membersOf decodes an object; nil has no members.
func membersOf(object json.RawMessage) (members, error) {
	all := members{}
	if object != nil && (json.Unmarshal(object, &all) != nil || all == nil) {
		return nil, fmt.Errorf("%.40s is not an object", object)
	}
	return all, nil
}

// meta returns the _meta members of every request; nil in the legacy era.
func (c *Client) meta() members {
	if c.era != Modern {
		return nil
	}
	return c.modernMeta(false)
}

// modernMeta returns the _meta members of every request in the modern era.
func (c *Client) modernMeta(tasks bool) members {
	return members{
		metaPrefix + "protocolVersion":    json.RawMessage(`"` + modernRevision + `"`),
		metaPrefix + "clientCapabilities": c.capabilities(tasks),
		metaPrefix + "clientInfo":         json.RawMessage(clientInfo),
	}
}

// capabilities returns the declared client capabilities. In the modern era it declares tasks only if a call requires
// them or [Options.Tasks] is set, since a server may then run any call as a task.
func (c *Client) capabilities(tasks bool) json.RawMessage {
	can := members{}
	if c.opts.Elicit != nil {
		can["elicitation"] = json.RawMessage(`{"form":{},"url":{}}`)
	}
	if tasks || c.opts.Tasks {
		can["extensions"] = json.RawMessage(`{"` + tasksExtension + `":{}}`)
	}
	text, _ := json.Marshal(can) // the values are JSON
	return text
}

// encodeNote returns a notification.
func encodeNote(method string, params json.RawMessage) []byte {
	if params == nil {
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q}`, method)
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}
