package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// clientInfo identifies this client to servers.
const clientInfo = `{"name":"mcptool-bench","title":"bench of mcptool","version":"1.0.0"}`

// metaPrefix is the prefix of _meta keys defined by the protocol.
const metaPrefix = "io.modelcontextprotocol/"

// requestHead is the beginning of every request, up to the id.
const requestHead = `{"jsonrpc":"2.0","id":`

// encode returns a JSON-RPC request without line breaks. params is an object or nil. meta holds members without braces
// to add to _meta; it is nil in the legacy era, which requires none.
func encode(id int64, method string, params, meta json.RawMessage) ([]byte, error) {
	params, err := complete(params, meta)
	if err != nil {
		return nil, fmt.Errorf("params of %s: %w", method, err)
	}
	name, err := json.Marshal(method)
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(params)+len(name)+64)
	b = append(b, requestHead...)
	b = strconv.AppendInt(b, id, 10)
	b = append(b, `,"method":`...)
	b = append(b, name...)
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}'), nil
}

// meta returns the _meta members of every request, without braces; nil in the legacy era.
func (c *Client) meta() json.RawMessage {
	if c.era != Modern {
		return nil
	}
	return c.modernMeta(false)
}

// modernMeta returns the _meta members of every request in the modern era, without braces.
func (c *Client) modernMeta(tasks bool) json.RawMessage {
	return json.RawMessage(`"` + metaPrefix + `protocolVersion":"` + modernRevision + `",` +
		`"` + metaPrefix + `clientCapabilities":` + c.capabilities(tasks) + `,` +
		`"` + metaPrefix + `clientInfo":` + clientInfo)
}

// capabilities returns the declared client capabilities. In the modern era it declares tasks only if a call requires
// them or [Options.Tasks] is set, since a server may then run any call as a task.
func (c *Client) capabilities(tasks bool) string {
	var can []string
	if c.opts.Elicit != nil {
		can = append(can, `"elicitation":{"form":{},"url":{}}`)
	}
	if tasks || c.opts.Tasks {
		can = append(can, `"extensions":{"`+tasksExtension+`":{}}`)
	}
	return "{" + strings.Join(can, ",") + "}"
}

// complete adds meta to params and returns them on one line.
func complete(params, meta json.RawMessage) (json.RawMessage, error) {
	if params == nil && meta == nil {
		return nil, nil
	}
	if params == nil {
		params = json.RawMessage("{}")
	}
	var line bytes.Buffer
	if err := json.Compact(&line, params); err != nil {
		return nil, err
	}
	params = line.Bytes()
	if len(params) == 0 || params[0] != '{' {
		return nil, fmt.Errorf("%.40s is not an object", params)
	}
	if meta == nil {
		return params, nil
	}
	return addMeta(params, meta)
}

// addMeta adds members, written without braces, to the _meta of params, a compact object.
func addMeta(params, members json.RawMessage) (json.RawMessage, error) {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(params, &object); err != nil {
		return nil, err
	}
	meta, ok := object["_meta"]
	if !ok { // always, except with progress tokens
		return join(params, append([]byte(`"_meta":{`), append(bytes.Clone(members), '}')...)), nil
	}
	if len(meta) == 0 || meta[0] != '{' {
		return nil, fmt.Errorf("_meta: %.40s is not an object", meta)
	}
	object["_meta"] = join(meta, members)
	return json.Marshal(object)
}

// join appends members, written without braces, to a compact object.
func join(object, members json.RawMessage) json.RawMessage {
	b := bytes.Clone(object[:len(object)-1])
	if len(b) > 1 && len(members) > 0 {
		b = append(b, ',')
	}
	return append(append(b, members...), '}')
}

// encodeNote returns a notification.
func encodeNote(method string, params json.RawMessage) []byte {
	b := append([]byte(`{"jsonrpc":"2.0","method":"`), method...)
	b = append(b, '"')
	if params != nil {
		b = append(append(b, `,"params":`...), params...)
	}
	return append(b, '}')
}
