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

// subjectOf returns the subject of the request: the name of a tool or prompt, the URI of a resource, or the id of a task.
// It reports whether the method, in revision 2026-07-28 and later, has a param for the subject; if the param is missing
// or not a string, name is "". Over HTTP the header Mcp-Name repeats it.
func subjectOf(m *engine.Message) (name string, hasSubject bool) {
	row := methodTable[string(m.Single.Method)]
	if row == nil || !row.span.Last.Has(wire.PerRequest) || row.subject.kind == noSubject || row.subject.kind == referenceSubject {
		return "", false
	}
	if row.subject.param == "name" {
		return wire.TextOf(m.Single.Params.Name), true // already found
	}
	return wire.TextOf(wire.Member(m.Single.Params.Raw, row.subject.param)), true
}
