package runtime

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/jsonscan"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Message is one message from a client, taken apart but not served yet: a
// transport that has more than one session looks at it to choose. It refers to the
// text it was read from, which must stay as it is for as long as the Message is used.
type Message struct {
	// Access is who sent the message. The transport sets it before the message is served, unless
	// it trusts its peer: nil is somebody who may do anything.
	Access *Access
	// Memory is what the transport has reserved for the text of the message, nil if nothing. It sets it before the
	// message is served. Calls that the message begins hold it until their tools have returned, also if the transport
	// releases it before.
	Memory *Reservation
	// ModernOnly says that the transport serves no handshake. The transport sets it before the
	// message is served, so that no client is told of revisions that begin with one.
	ModernOnly bool
	// Stateless says that no handshake precedes the message: it is of revision 2026-07-28 or later, and what belongs to the
	// handshake is refused with the errors of those revisions. The transport sets it before the message is served;
	// [Endpoint.Answer] sets it itself.
	Stateless bool
	// Header holds the HTTP headers beside the message, by their canonical names; nil if there are none. The
	// transport sets it before the message is served. A call whose headers differ from the arguments that they repeat
	// (Mcp-Param-*) is refused with error -32020. The transport compares the other headers itself.
	Header map[string][]string

	single  envelope.Message
	request request  // what becomes of a single one, while it is served
	items   [][]byte // of a batch
	isBatch bool
	err     error // the text is no JSON, or beyond the limits
}

// oldest returns the oldest revision that the transport serves.
func (m *Message) oldest() wire.Version {
	if m.ModernOnly {
		return wire.LatestLegacy + 1
	}
	return wire.V20241105
}

// MessageKind is what a [Message] is.
type MessageKind uint8

// The kinds of message. What is served is up to the session: any of them can be
// given to [Session.Serve], which answers those that are no good.
const (
	Unreadable   MessageKind = iota // not JSON, beyond the limits, or not a message
	Request                         // wants a response
	Notification                    // wants none
	Response                        // answers a request of the server
	Batch                           // an array of messages
)

// Read takes a message apart. It never fails: what cannot be read is a Message, too,
// of kind [Unreadable], and is answered by whoever serves it.
func (s *Server) Read(text []byte) *Message {
	m := new(Message)
	s.core().read(text, m)
	return m
}

// read implements [Server.Read].
func (c *core) read(text []byte, m *Message) {
	m.Access, m.Memory, m.ModernOnly, m.Stateless, m.Header = nil, nil, false, false, nil
	m.items, m.isBatch, m.err = nil, false, nil
	switch {
	case len(text) > c.limits.MaxMessageBytes:
		m.single = envelope.Message{ID: idAtStart(text)}
		m.err = fmt.Errorf("the message is larger than %d bytes", c.limits.MaxMessageBytes)
	case first(text) == '[':
		m.isBatch, m.single.ID = true, nil
		m.items, m.err = wire.Elements(text, c.limits.MaxDepth, c.limits.MaxBatchMessages+1)
	default:
		if m.err = m.single.Read(text, c.limits.MaxDepth); m.err != nil {
			m.single.ID = bytes.Clone(envelope.FindID(text))
		}
	}
	switch {
	case m.err != nil:
		if errors.Is(m.err, jsonscan.ErrDepth) {
			m.err = fmt.Errorf("the message nests deeper than %d levels", c.limits.MaxDepth)
		}
	case jsonscan.ValuesExceed(text, c.limits.MaxValues):
		if m.isBatch {
			m.items = nil
		} else {
			m.single = envelope.Message{ID: bytes.Clone(m.single.ID)}
		}
		m.err = fmt.Errorf("the message holds more than %d values", c.limits.MaxValues)
	}
}

// idAtStart returns the id that stands in the first kilobyte of a message that is too large to be read.
func idAtStart(text []byte) []byte {
	return bytes.Clone(envelope.FindID(text[:min(len(text), envelope.IDLimit)]))
}

// Kind returns what the message is.
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

// ID returns the id of the message as JSON, nil if it has none that can be read.
func (m *Message) ID() []byte { return m.single.ID }

// Method returns the method of a request or notification, "" of anything else.
func (m *Message) Method() string { return string(m.single.Method) }

// ProtocolVersion returns the revision that the message names in its params._meta,
// as clients from 2026-07-28 on do. It reports whether there is one; if that is
// no string, name is "".
func (m *Message) ProtocolVersion() (name string, named bool) {
	raw := m.single.Params.Meta.ProtocolVersion
	return wire.TextOf(raw), raw != nil
}

// Subject returns what the request is about, and reports whether its method has a subject in the revisions whose messages
// name themselves: the name of a tool or prompt, the URI of a resource, or the id of a task, "" if that is missing or no
// string. Transports that repeat parts of messages outside of them, as HTTP does in the header Mcp-Name, repeat it.
func (m *Message) Subject() (name string, hasSubject bool) {
	row := methodTable[string(m.single.Method)]
	if row == nil || !row.span.Last.Has(wire.PerRequest) {
		row = authoredTable[string(m.single.Method)]
	}
	if row == nil || row.subject.kind == noSubject {
		return "", false
	}
	if row.subject.param == "name" {
		return wire.TextOf(m.single.Params.Name), true // already found
	}
	return wire.TextOf(wire.Member(m.single.Params.Raw, row.subject.param)), true
}
