package proxy

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/measure/strictjson"
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

// pass applies the filter to text, a message or a batch of messages. It returns false for other text. The filter gets
// U+FFFD in place of what is not Unicode; a message that it does not change is passed as it is.
func (f Filter) pass(d Direction, text []byte) (passed []byte, isMessage bool) {
	text = bytes.TrimSpace(text)
	var messages []json.RawMessage
	isBatch := bytes.HasPrefix(text, []byte("[")) && json.Unmarshal(text, &messages) == nil && len(messages) > 0
	if !isBatch {
		messages = []json.RawMessage{text}
	}
	readable := make([][]byte, len(messages))
	for i, message := range messages {
		if readable[i], isMessage = read(message); !isMessage {
			return text, false
		}
	}
	var kept [][]byte
	for i, message := range readable {
		filtered := f(d, bytes.Clone(message))
		if bytes.Equal(filtered, message) {
			filtered = messages[i]
		}
		if filtered != nil {
			kept = append(kept, filtered)
		}
	}
	switch {
	case kept == nil:
		return nil, true
	case isBatch:
		return slices.Concat([]byte("["), bytes.Join(kept, []byte(",")), []byte("]")), true
	default:
		return kept[0], true
	}
}

// read returns a JSON-RPC message in valid Unicode, false if text is not a message.
func read(text []byte) (message []byte, ok bool) {
	m, message, err := strictjson.Message(text, maxDepth)
	return message, err == nil && m.Kind != envelope.Malformed
}

// isFlawed reports whether text is not valid here, but clients may read it or have to know of it: JSON by other rules, for
// example with half of a surrogate pair, or a response.
func isFlawed(text []byte) bool {
	var m envelope.Message
	return m.Read(text, maxDepth) != nil && (json.Valid(text) || envelope.FindResponseID(text) != nil)
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
