package proxy

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcptool-go/mcptool/internal/envelope"
)

// A Direction is where a message goes.
type Direction bool

// The directions.
const (
	ToServer Direction = false
	ToClient Direction = true
)

// A Filter gets each message that passes and returns the message to pass on, or nil to drop it. It must not modify its
// argument. The messages of a batch are passed one by one. A Filter is called concurrently, but for messages in one
// direction of one connection or HTTP body in order.
type Filter func(d Direction, message json.RawMessage) json.RawMessage

// maxMessage is the maximum size of a message, and over HTTP of a body or an event, in bytes.
const maxMessage = 64 << 20

// maxDepth is the maximum nesting depth of a message.
const maxDepth = 512

// pass applies the filter to text, a message or a batch of messages. It returns false for other text.
func (f Filter) pass(d Direction, text []byte) (passed []byte, isMessage bool) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || text[0] != '[' {
		if !isValid(text) {
			return text, false
		}
		return f(d, bytes.Clone(text)), true
	}
	var batch []json.RawMessage
	var kept [][]byte
	if json.Unmarshal(text, &batch) != nil || len(batch) == 0 {
		return text, false
	}
	for _, message := range batch {
		if !isValid(message) {
			return text, false
		}
	}
	for _, message := range batch {
		if message = f(d, message); message != nil {
			kept = append(kept, message)
		}
	}
	if kept == nil {
		return nil, true
	}
	return slices.Concat([]byte("["), bytes.Join(kept, []byte(",")), []byte("]")), true
}

// isValid reports whether text is a JSON-RPC message.
func isValid(text []byte) bool {
	var m envelope.Message
	return m.Read(text, maxDepth) == nil && m.Kind != envelope.Malformed
}

// isReadable reports whether text that is not a message is JSON by other rules, for example with half of a surrogate pair.
func isReadable(text []byte) bool {
	var m envelope.Message
	return m.Read(text, maxDepth) != nil && json.Valid(text)
}

// oneLine returns a message without line breaks, which JSON has only as white space.
func oneLine(message []byte) []byte {
	if !bytes.ContainsAny(message, "\r\n") {
		return message
	}
	var compact bytes.Buffer
	if json.Compact(&compact, message) != nil {
		return message // not JSON: a mistake of the filter, which the receiver reports
	}
	return compact.Bytes()
}
