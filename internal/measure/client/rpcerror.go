package client

import (
	"encoding/json"
	"fmt"
)

// An RPCError is a JSON-RPC error response.
type RPCError struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error returns the message with the code.
func (e *RPCError) Error() string { return fmt.Sprintf("%s (JSON-RPC error %d)", e.Message, e.Code) }

// Error codes that the client handles.
const (
	codeInvalidParams     = -32602
	codeMethodNotFound    = -32601
	codeInternal          = -32603
	codeMissingCapability = -32021
	codeURLFirst          = -32042
)
