package runtime

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// readMessage parses a message into m, whose state is used again. It never fails: text that cannot be parsed, or that
// exceeds the limits, is a message of kind [engine.Unreadable], which is answered with an error.
func readMessage(m *engine.Message, text []byte, limits *limits) {
	*m = engine.Message{State: m.State}
	switch {
	case len(text) > limits.MaxMessageBytes:
		m.Single = envelope.Message{ID: idAtStart(text)}
		m.Err = fmt.Errorf("the message is larger than %d bytes", limits.MaxMessageBytes)
	case first(text) == '[':
		m.IsBatch, m.Single = true, envelope.Message{}
		m.Items, m.Err = wire.Elements(text, limits.MaxDepth, limits.MaxBatchMessages+1)
	default:
		if m.Err = m.Single.Read(text, limits.MaxDepth); m.Err != nil {
			m.Single.ID = bytes.Clone(envelope.FindID(text))
		}
	}
	switch {
	case m.Err != nil:
		if errors.Is(m.Err, rawjson.ErrDepth) {
			m.Err = fmt.Errorf("the message nests deeper than %d levels", limits.MaxDepth)
		}
	case rawjson.ValuesExceed(text, limits.MaxValues):
		if m.IsBatch {
			m.Items = nil
		} else {
			m.Single = envelope.Message{ID: bytes.Clone(m.Single.ID)}
		}
		m.Err = fmt.Errorf("the message holds more than %d values", limits.MaxValues)
	}
}

// idAtStart returns the id in the first 1024 bytes of a message that is too large to be parsed.
func idAtStart(text []byte) []byte {
	return bytes.Clone(envelope.FindID(text[:min(len(text), envelope.IDLimit)]))
}
