package envelope

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// Params are the parts of a message's params that the server reads. Each slice is the raw
// JSON of a member, nil if the member is absent. A null counts as absent, because some
// clients send null for members they do not set.
type Params struct {
	Kind      rawjson.Kind // Invalid if absent
	Raw       []byte       // the whole value
	Name      []byte       // name: of a tool or prompt
	URI       []byte       // uri: of a resource
	Arguments []byte       // arguments: of a tool or prompt
	Cursor    []byte       // cursor: of a page of a list
	Responses []byte       // inputResponses: the client's answers to the server's requests
	State     []byte       // requestState: the state that the server sent with its requests
	Task      []byte       // task: the client asks to run the call as a task
	Meta      Meta
	Twice     string // the name of a repeated member among those above or in Meta, "" if there is none
}

// Meta are the parts of params._meta that the server reads, as in [Params].
type Meta struct {
	Kind               rawjson.Kind // Invalid if absent
	Raw                []byte       // the whole value
	ProgressToken      []byte
	ProtocolVersion    []byte
	ClientCapabilities []byte
	ClientInfo         []byte
	LogLevel           []byte
}

// Clone returns a copy that does not share memory with the message.
func (p *Params) Clone() Params {
	c := *p
	for _, part := range []*[]byte{
		&c.Raw, &c.Name, &c.URI, &c.Arguments, &c.Cursor, &c.Responses, &c.State, &c.Task,
		&c.Meta.Raw, &c.Meta.ProgressToken, &c.Meta.ProtocolVersion, &c.Meta.ClientCapabilities, &c.Meta.ClientInfo, &c.Meta.LogLevel,
	} {
		*part = bytes.Clone(*part)
	}
	return c
}

// MetaPrefix is the prefix of the members of _meta that the protocol defines.
const MetaPrefix = "io.modelcontextprotocol/"

// params reads the value of params.
func (r *reader) params() {
	p := &r.msg.Params
	if !r.isObject(&p.Kind, &p.Raw) {
		return
	}
	start := r.Offset()
	r.OpenObject()
	for name, ok := r.Member(); ok; name, ok = r.Member() {
		switch string(name) {
		case "name":
			r.param(seenName, &p.Name, "name")
		case "uri":
			r.param(seenURI, &p.URI, "uri")
		case "arguments":
			r.param(seenArguments, &p.Arguments, "arguments")
		case "cursor":
			r.param(seenCursor, &p.Cursor, "cursor")
		case "inputResponses":
			r.param(seenResponses, &p.Responses, "inputResponses")
		case "requestState":
			r.param(seenState, &p.State, "requestState")
		case "task":
			r.param(seenTask, &p.Task, "task")
		case "_meta":
			r.see(seenMeta, "_meta")
			r.meta()
		default:
			r.Value()
		}
	}
	p.Raw = r.Since(start)
}

// seen is the set of members of params that were read.
type seen uint16

const (
	seenName seen = 1 << iota
	seenURI
	seenArguments
	seenCursor
	seenResponses
	seenState
	seenTask
	seenMeta
	seenProgressToken
	seenProtocolVersion
	seenClientCapabilities
	seenClientInfo
	seenLogLevel
)

// see records that a member of params was read, and whether it is repeated.
func (r *reader) see(member seen, name string) {
	if r.seen&member != 0 {
		r.msg.Params.Twice = name
	}
	r.seen |= member
}

// param reads a member of params.
func (r *reader) param(member seen, dst *[]byte, name string) {
	r.see(member, name)
	*dst = r.present()
}

// present reads a value, and returns nil for a null.
func (r *reader) present() []byte {
	value := r.Value()
	if len(value) > 0 && value[0] == 'n' { // cheaper than rawjson.KindOf; this runs for each member of each call
		return nil
	}
	return value
}

// isObject sets kind, and reports whether the next value is an object, which the caller then reads. It reads any other
// value into raw.
func (r *reader) isObject(kind *rawjson.Kind, raw *[]byte) bool {
	if *kind = r.Next(); *kind == rawjson.Object {
		return true
	}
	if *raw = r.present(); *raw == nil {
		*kind = rawjson.Invalid
	}
	return false
}

// meta reads the value of params._meta.
func (r *reader) meta() {
	m := &r.msg.Params.Meta
	if !r.isObject(&m.Kind, &m.Raw) {
		return
	}
	start := r.Offset()
	r.OpenObject()
	for name, ok := r.Member(); ok; name, ok = r.Member() {
		switch string(name) {
		case "progressToken":
			r.param(seenProgressToken, &m.ProgressToken, "progressToken")
		case MetaPrefix + "protocolVersion":
			r.param(seenProtocolVersion, &m.ProtocolVersion, MetaPrefix+"protocolVersion")
		case MetaPrefix + "clientCapabilities":
			r.param(seenClientCapabilities, &m.ClientCapabilities, MetaPrefix+"clientCapabilities")
		case MetaPrefix + "clientInfo":
			r.param(seenClientInfo, &m.ClientInfo, MetaPrefix+"clientInfo")
		case MetaPrefix + "logLevel":
			r.param(seenLogLevel, &m.LogLevel, MetaPrefix+"logLevel")
		default:
			r.Value()
		}
	}
	m.Raw = r.Since(start)
}
