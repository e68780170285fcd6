package runtime

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/bytesize"
	"github.com/mcptool-go/mcptool/internal/engine"
	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/runtime/observe"
)

// readMessage parses a message into m, whose state is used again. It never fails: text that cannot be parsed, or that
// exceeds the limits, is a message of kind [engine.Unreadable], which is answered with an error.
func readMessage(m *engine.Message, text []byte, limits *limits) {
	*m = engine.Message{State: m.State}
	switch {
	case len(text) > limits.MaxMessageBytes:
		m.Single = envelope.Message{ID: idAtStart(text)}
		m.Err = fmt.Errorf("the message is larger than %s", bytesize.Text(int64(limits.MaxMessageBytes)))
	case bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte{'['}):
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

// take serves m; all messages that m causes are sent to the route.
func (o *origin) take(m *engine.Message, to route) {
	r, _ := m.State.(*request)
	if r == nil {
		r = new(request)
		m.State = r
	}
	*r = request{
		from: o, route: to, access: (*Access)(m.Access), memory: m.Memory, header: m.Header, mismatch: m.Mismatch, values: m.Values,
		http: m.HTTP, stateless: m.Stateless, noListening: m.NoListening, id: m.Single.ID, params: &m.Single.Params,
	}
	switch {
	case m.Err != nil:
		r.unreadable(m.Err)
	case m.IsBatch:
		serveBatch(r, m.Items)
	default:
		o.serve(&m.Single, r)
	}
}

// idAtStart returns the id in the first 1024 bytes of a message that is too large to be parsed.
func idAtStart(text []byte) []byte {
	return bytes.Clone(envelope.FindID(text[:min(len(text), envelope.IDLimit)]))
}

// serve handles one parsed message. If it is a request, serve completes r, which only has its sender and its route.
// Notifications are never answered, so unknown and malformed ones are ignored.
func (o *origin) serve(m *envelope.Message, r *request) {
	switch m.Kind {
	case envelope.Malformed:
		o.logMalformed(m.Flaw)
		r.refuse(malformed(m.Flaw))
	case envelope.Response, envelope.Notification:
		isDone, name := o.peer.accept(m), string(m.Method)
		if m.Kind == envelope.Notification && o.observes {
			method := name
			if _, known := o.extensions.notifications[name]; known {
				r.values = nil // its func has the context of the connection
			} else if !isDone {
				method = ""
			}
			r.version = notificationVersion(r)
			observeRequest(r, observe.KindNotification, method)
		}
		if !isDone {
			notifyExtension(r, name) // notification.go
		}
		r.op.end(observe.OutcomeOK, nil, 0)
		r.respond(nil, engine.End{}) // neither is answered
	case envelope.Request:
		if err := r.dispatch(m.Method); err != nil {
			r.refuse(err)
		}
	}
}
