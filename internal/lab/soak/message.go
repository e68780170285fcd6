package main

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/measure/client"
)

// revision is a protocol revision.
type revision string

// revisions are the tested revisions.
var revisions = []revision{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}

const modern revision = "2026-07-28"

// object is a JSON object under construction.
type object map[string]any

// encode returns v as JSON without HTML escaping, like the servers.
func encode(v any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("%v cannot be encoded: %v", v, err)) // we made it, so this is a bug
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// message is a message from a server.
type message struct {
	ID     json.RawMessage  `json:"id"`
	Method string           `json:"method"`
	Result json.RawMessage  `json:"result"`
	Error  *client.RPCError `json:"error"`
}

// isResponse reports whether m is a response.
func (m *message) isResponse() bool { return m.Method == "" }

// parse parses a received text: a message, or a batch in revision 2025-03-26.
func parse(text []byte) ([]message, error) {
	var all []message
	if bytes.HasPrefix(text, []byte("[")) {
		err := json.Unmarshal(text, &all)
		return all, err
	}
	var m message
	err := json.Unmarshal(text, &m)
	return []message{m}, err
}
