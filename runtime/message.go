package runtime

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Message is one parsed message of a client. A transport with more than one session uses it to choose the session. It
// refers to the text that it was read from, which must not change until [Session.Serve] or [Endpoint.Answer] has
// returned. It is not safe for concurrent use.
type Message struct {
	// Access describes the sender of the message. The transport sets it before the message is served. Nil means a
	// trusted peer, which may use everything.
	Access *Access
	// Memory is the reservation of the transport for the text of the message; nil means none. The transport sets it
	// before the message is served. Calls of the message hold it until their tools have returned, even if the transport
	// releases it before.
	Memory *Reservation
	// Revision makes [Endpoint.Answer] serve a message of an earlier revision than 2026-07-28 without a session; it is
	// that revision. The transport sets it before the message is served, if params._meta does not name a revision. ""
	// means that a message without a revision in its _meta is refused with the errors of revision 2026-07-28.
	Revision string
	// NoListening means that the transport cannot send messages that belong to no request. Then the server declares
	// neither listChanged nor resources.subscribe, resources/subscribe is an unknown method, and subscriptions/listen
	// is acknowledged as empty and answered at once. The transport sets it before the message is served.
	NoListening bool
	// Stateless means that the message belongs to no handshake. It must be of revision 2026-07-28 or later; any other,
	// such as initialize, is refused with the errors of those revisions. The transport sets it before the message is
	// served; [Endpoint.Answer] sets it itself.
	Stateless bool
	// Header contains the HTTP headers of the message, by their canonical names; nil if there are none. The transport
	// sets it before the message is served. A call of a tool whose Mcp-Param-* headers do not match its arguments is
	// refused with error -32020. The transport compares the other headers with the message.
	Header map[string][]string
	// Mismatch describes a difference between those other headers and the message; nil means that they match. The
	// transport sets it before the message is served. A request with a Mismatch is refused with error -32020 and this
	// text, and audited.
	Mismatch error

	single  envelope.Message
	request request  // state of a single message while it is served
	items   [][]byte // of a batch
	isBatch bool
	err     error // the text is not JSON, or beyond the limits
}

// MessageKind is the kind of a [Message].
type MessageKind uint8

// The kinds of messages. [Session.Serve] accepts all of them, and answers those that it cannot serve with an error.
const (
	Unreadable   MessageKind = iota // not JSON, beyond the limits, or not a message
	Request                         // requires a response
	Notification                    // has no response
	Response                        // answers a request of the server
	Batch                           // an array of messages
)

// Read parses a message. It never fails: text that cannot be parsed, or exceeds the limits, is a Message of kind
// [Unreadable], which [Session.Serve] and [Endpoint.Answer] answer with an error.
func (s *Server) Read(text []byte) *Message {
	m := new(Message)
	m.read(text, &s.core().limits)
	return m
}

// read parses a message into m, whose previous content is lost.
func (m *Message) read(text []byte, limits *limits) {
	m.Access, m.Memory, m.Revision, m.NoListening, m.Stateless, m.Header, m.Mismatch = nil, nil, "", false, false, nil, nil
	m.items, m.isBatch, m.err = nil, false, nil
	switch {
	case len(text) > limits.MaxMessageBytes:
		m.single = envelope.Message{ID: idAtStart(text)}
		m.err = fmt.Errorf("the message is larger than %d bytes", limits.MaxMessageBytes)
	case first(text) == '[':
		m.isBatch, m.single = true, envelope.Message{}
		m.items, m.err = wire.Elements(text, limits.MaxDepth, limits.MaxBatchMessages+1)
	default:
		if m.err = m.single.Read(text, limits.MaxDepth); m.err != nil {
			m.single.ID = bytes.Clone(envelope.FindID(text))
		}
	}
	switch {
	case m.err != nil:
		if errors.Is(m.err, rawjson.ErrDepth) {
			m.err = fmt.Errorf("the message nests deeper than %d levels", limits.MaxDepth)
		}
	case rawjson.ValuesExceed(text, limits.MaxValues):
		if m.isBatch {
			m.items = nil
		} else {
			m.single = envelope.Message{ID: bytes.Clone(m.single.ID)}
		}
		m.err = fmt.Errorf("the message holds more than %d values", limits.MaxValues)
	}
}

// idAtStart returns the id in the first 1024 bytes of a message that is too large to be parsed.
func idAtStart(text []byte) []byte {
	return bytes.Clone(envelope.FindID(text[:min(len(text), envelope.IDLimit)]))
}

// Kind returns the kind of the message.
func (m *Message) Kind() MessageKind {
	switch {
	case m.err != nil:
		return Unreadable
	case m.isBatch:
		return Batch
	}
	switch m.single.Kind {
	case envelope.Request:
		return Request
	case envelope.Notification:
		return Notification
	case envelope.Response:
		return Response
	default:
		return Unreadable
	}
}

// ID returns the id of the message as JSON; nil if there is none, or if it cannot be read.
func (m *Message) ID() []byte { return m.single.ID }

// Method returns the method of a request or notification; "" for other messages.
func (m *Message) Method() string {
	if string(m.single.Method) == methodToolsCall {
		return methodToolsCall // without an allocation
	}
	return string(m.single.Method)
}

// ProtocolVersion returns the revision that the message names in its params._meta, as messages of revision 2026-07-28
// and later do. It reports whether the message has the member; if its value is not a string, name is "".
func (m *Message) ProtocolVersion() (name string, named bool) {
	raw := m.single.Params.Meta.ProtocolVersion
	if latest := wire.Latest.String(); rawjson.Equal(raw, latest) {
		return latest, true // without an allocation
	}
	return wire.TextOf(raw), raw != nil
}

// Subject returns the subject of the request: the name of a tool or prompt, the URI of a resource, or the id of a task.
// It reports whether the method, in revision 2026-07-28 and later, has a param for the subject; if the param is missing
// or not a string, name is "". Over HTTP the header Mcp-Name repeats it.
func (m *Message) Subject() (name string, hasSubject bool) {
	row := methodTable[string(m.single.Method)]
	if row == nil || !row.span.Last.Has(wire.PerRequest) || row.subject.kind == noSubject || row.subject.kind == referenceSubject {
		return "", false
	}
	if row.subject.param == "name" {
		return wire.TextOf(m.single.Params.Name), true // already found
	}
	return wire.TextOf(wire.Member(m.single.Params.Raw, row.subject.param)), true
}
