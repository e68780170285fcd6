package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// clientInfo is who we say we are.
const clientInfo = `{"name":"mcptool-bench","title":"bench of mcptool","version":"1.0.0"}`

// metaPrefix starts the names of _meta that are the protocol's own.
const metaPrefix = "io.modelcontextprotocol/"

// requestHead is how every request begins that we send; its id follows.
const requestHead = `{"jsonrpc":"2.0","id":`

// encode returns a whole JSON-RPC request, without a newline at the end or anywhere else. params is
// an object or nil. meta is added to its _meta, members without braces; nil in the legacy era, where
// there need be none.
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

// meta returns what every request has in its _meta, without braces; nil in the legacy era.
func (c *Client) meta() json.RawMessage {
	if c.era != Modern {
		return nil
	}
	return c.modernMeta(false)
}

// modernMeta returns what every request of the modern era has in its _meta, without braces.
func (c *Client) modernMeta(tasks bool) json.RawMessage {
	return json.RawMessage(`"` + metaPrefix + `protocolVersion":"` + modernRevision + `",` +
		`"` + metaPrefix + `clientCapabilities":` + c.capabilities(tasks) + `,` +
		`"` + metaPrefix + `clientInfo":` + clientInfo)
}

// capabilities returns what we can do for a server; tasks of the modern era only where there
// is no way around them or [Options.Tasks] is set, since a server may run any call as one then.
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

// complete returns params, on one line, with meta.
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
		return nil, fmt.Errorf("%.40s is no object", params)
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
	if !ok { // as always, but for progress tokens
		return join(params, append([]byte(`"_meta":{`), append(bytes.Clone(members), '}')...)), nil
	}
	if len(meta) == 0 || meta[0] != '{' {
		return nil, fmt.Errorf("_meta: %.40s is no object", meta)
	}
	object["_meta"] = join(meta, members)
	return json.Marshal(object)
}

// join adds members, written without braces, to the end of object, a compact object.
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
