package main

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// object is a JSON object in the making.
type object map[string]any

// encode returns v as JSON, as the servers write it: without HTML in mind.
func encode(v any) []byte {
	var buf bytes.Buffer
	e := json.NewEncoder(&buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(fmt.Sprintf("%v cannot be encoded: %v", v, err)) // we made it
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

// message is one message from a server.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *problem        `json:"error"`
}

// problem is an error of JSON-RPC.
type problem struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (p *problem) Error() string { return fmt.Sprintf("error %d: %s", p.Code, p.Message) }

// isResponse reports whether m answers a request of ours.
func (m *message) isResponse() bool { return m.Method == "" }

// parse reads what came as one text: a message, or several in revision 2025-03-26.
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

// request returns a request, with its id as the token of its progress.
func request(rev revision, id int64, method string, params object) []byte {
	return encode(object{"jsonrpc": "2.0", "id": id, "method": method, "params": rev.params(params, id)})
}

// notification returns a notification.
func notification(rev revision, method string, params object) []byte {
	return encode(object{"jsonrpc": "2.0", "method": method, "params": rev.params(params, 0)})
}

// hello returns the params of initialize.
func initializeParams(rev revision) object {
	return object{
		"protocolVersion": rev, "capabilities": capabilities,
		"clientInfo": object{"name": "soak", "version": "1.0.0"},
	}
}

// capabilities is what our clients can do.
var capabilities = object{"elicitation": object{}, "extensions": object{"io.modelcontextprotocol/tasks": object{}}}

// revision is one of the protocol.
type revision string

// revisions are those that are spoken.
var revisions = []revision{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern}

const modern revision = "2026-07-28"

// params adds to params what the revision wants in each.
func (rev revision) params(params object, token int64) object {
	all := object{}
	for name, value := range params {
		all[name] = value
	}
	meta := object{}
	if token != 0 {
		meta["progressToken"] = token
	}
	if rev == modern {
		meta["io.modelcontextprotocol/protocolVersion"] = rev
		meta["io.modelcontextprotocol/clientCapabilities"] = capabilities
	}
	if len(meta) > 0 {
		all["_meta"] = meta
	}
	return all
}

// token returns whose progress m tells of, 0 if it does not.
func (m *message) token() int64 {
	var p struct {
		ProgressToken int64 `json:"progressToken"`
	}
	if m.Method == "notifications/progress" {
		_ = json.Unmarshal(m.Params, &p) // then it is 0, which is no token of ours
	}
	return p.ProgressToken
}

// subscription returns the request that m is told because of, 0 if there is none.
func (m *message) subscription() int64 {
	var p struct {
		Meta struct {
			ID int64 `json:"io.modelcontextprotocol/subscriptionId"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(m.Params, &p) // then there is none
	return p.Meta.ID
}
