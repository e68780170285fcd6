package engine

import (
	"context"
	"encoding/json"
	"net/netip"

	"github.com/mcptool-go/mcptool/internal/envelope"
	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Access has the fields of runtime.Access, so that the types can be converted to each other. Package runtime imports this
// one, and an alias there would hide the fields from the documentation that authors read.
type Access struct {
	Tenant    string
	Principal string
	Address   netip.Addr
	Scopes    []string
	Claims    json.RawMessage
}

// Selection has the fields of runtime.Selection, as [Access] has those of runtime.Access.
type Selection struct {
	Groups, Tools, Except []string
	ReadOnly              bool
}

// Message is one message of a client, which package runtime parses. It refers to the text that it was read from, which
// must not change until Serve of a [Session] or Answer of an [Endpoint] has returned. It is not safe for concurrent
// use. The transport sets the first fields before the message is served.
type Message struct {
	// Access describes the sender of the message. Nil means a trusted peer, which may use everything.
	Access *Access
	// Select is the selection of the client, of which only the first one of a [Session] counts. Nil means that requests
	// cannot select.
	Select *Selection
	// Memory is the reservation of the transport for the text of the message; nil means none. Calls of the message hold
	// it until their tools have returned, even if the transport releases it before.
	Memory *Reservation
	// Revision makes an [Endpoint] serve a message of an earlier revision than 2026-07-28; it is that revision. The
	// transport sets it if params._meta does not name a revision. "" means that a message without a revision in its
	// _meta is refused with the errors of revision 2026-07-28.
	Revision string
	// Peer describes the client to an [Endpoint], if the server of another framework has made the handshake in which
	// Revision was negotiated. Nil means that nothing is known of the client, which then cannot be asked anything.
	Peer *Peer
	// NoListening means that the transport cannot send messages that belong to no request. Then the server declares
	// neither listChanged nor resources.subscribe, resources/subscribe is an unknown method, and subscriptions/listen
	// is acknowledged as empty and answered at once.
	NoListening bool
	// Values has the values that the contexts of calls have in a [Session]; only its method Value is used. Nil means the
	// context of the session. The calls of an [Endpoint] have the context of the message instead.
	Values context.Context
	// StepUp means that the transport can send the scopes to request to a client that lacks them: see [End.Scopes]. Then
	// the answer to a call of a tool for which the sender lacks scopes is [Forbidden]; otherwise it is the same as for an
	// unknown tool.
	StepUp bool
	// Stateless means that the message belongs to no handshake. It must be of revision 2026-07-28 or later; any other,
	// such as initialize, is refused with the errors of those revisions. An [Endpoint] sets it itself.
	Stateless bool
	// HTTP is the major version of HTTP, for observers; 0 for another transport.
	HTTP uint8
	// Header contains the HTTP headers of the message, by their canonical names; nil if there are none. A call of a
	// tool whose Mcp-Param-* headers do not match its arguments is refused with error -32020. The transport compares
	// the other headers with the message.
	Header map[string][]string
	// Mismatch describes a difference between those other headers and the message; nil means that they match. A request
	// with a Mismatch is refused with error -32020 and this text, and audited.
	Mismatch error

	// What was read. Package runtime sets the following fields.
	Kind   MessageKind
	Single envelope.Message // empty for a batch
	Items  [][]byte         // of a batch
	Err    error            // of a message that is Unreadable because its text is not JSON, or beyond the limits
	State  any              // state of a single message while it is served
}

// Peer is the client of a handshake that this module has not made. It is asked with Ask of
// the [Writer] of the message.
type Peer struct {
	Name, Title, Version string // of the client software
	// Capabilities is the JSON object in which the client has declared its capabilities.
	Capabilities json.RawMessage
	// LogLevel is the minimum level of the log records that the client gets, such as "warning".
	LogLevel string
}

// MessageKind is the kind of a [Message].
type MessageKind = envelope.Kind

// The kinds of messages. A [Session] accepts all of them, and answers those that it cannot serve with an error.
const (
	Unreadable   = envelope.Malformed    // not JSON, beyond the limits, or not a message
	Request      = envelope.Request      // requires a response
	Notification = envelope.Notification // has no response
	Response     = envelope.Response     // answers a request of the server
	Batch        = envelope.Response + 1 // an array of messages
)

// ID returns the id of the message as JSON; nil if there is none, or if it cannot be read.
func (m *Message) ID() []byte { return m.Single.ID }

// Method returns the method of a request or notification; "" for other messages.
func (m *Message) Method() string {
	const call = "tools/call"
	if string(m.Single.Method) == call {
		return call // without an allocation
	}
	return string(m.Single.Method)
}

// ProtocolVersion returns the revision that the message names in its params._meta, as messages of revision 2026-07-28
// and later do. It reports whether the message has the member; if its value is not a string, name is "".
func (m *Message) ProtocolVersion() (name string, named bool) {
	const usual = "2026-07-28"
	switch raw := m.Single.Params.Meta.ProtocolVersion; {
	case rawjson.Equal(raw, usual):
		return usual, true // without an allocation
	case rawjson.KindOf(raw) == rawjson.String:
		return string(rawjson.Unquote(raw)), true
	default:
		return "", raw != nil
	}
}
