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
	for _, part := range c.parts() {
		*part = bytes.Clone(*part)
	}
	return c
}

func (p *Params) parts() []*[]byte {
	return []*[]byte{
		&p.Raw, &p.Name, &p.URI, &p.Arguments, &p.Cursor, &p.Responses, &p.State, &p.Task,
		&p.Meta.Raw, &p.Meta.ProgressToken, &p.Meta.ProtocolVersion, &p.Meta.ClientCapabilities, &p.Meta.ClientInfo, &p.Meta.LogLevel,
	}
}

// dropNulls makes members that are null absent.
func (p *Params) dropNulls() {
	for _, part := range p.parts() {
		if rawjson.KindOf(*part) == rawjson.Null {
			*part = nil
		}
	}
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
			r.param(name, &p.Name)
		case "uri":
			r.param(name, &p.URI)
		case "arguments":
			r.param(name, &p.Arguments)
		case "cursor":
			r.param(name, &p.Cursor)
		case "inputResponses":
			r.param(name, &p.Responses)
		case "requestState":
			r.param(name, &p.State)
		case "task":
			r.param(name, &p.Task)
		case "_meta":
			if r.hasMeta {
				p.Twice = "_meta"
			}
			r.hasMeta = true
			r.meta()
		default:
			r.Value()
		}
	}
	p.Raw = r.Since(start)
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
			r.param(name, &m.ProgressToken)
		case MetaPrefix + "protocolVersion":
			r.param(name, &m.ProtocolVersion)
		case MetaPrefix + "clientCapabilities":
			r.param(name, &m.ClientCapabilities)
		case MetaPrefix + "clientInfo":
			r.param(name, &m.ClientInfo)
		case MetaPrefix + "logLevel":
			r.param(name, &m.LogLevel)
		default:
			r.Value()
		}
	}
	m.Raw = r.Since(start)
}

// param reads a member of params or _meta.
func (r *reader) param(name []byte, dst *[]byte) {
	if *dst != nil {
		r.msg.Params.Twice = string(name)
	}
	*dst = r.Value()
	r.hasNull = r.hasNull || rawjson.KindOf(*dst) == rawjson.Null
}

// isObject sets kind, and reports whether the next value is an object, which the caller then reads. It reads any other
// value into raw.
func (r *reader) isObject(kind *rawjson.Kind, raw *[]byte) bool {
	if *kind = r.Next(); *kind == rawjson.Object {
		return true
	}
	if *raw = r.Value(); *kind == rawjson.Null {
		*kind, *raw = rawjson.Invalid, nil
	}
	return false
}
