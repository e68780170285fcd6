package envelope

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/jsonscan"
)

// Params is what is known of a message's params. Each slice is the raw JSON of
// a member, nil when it is absent. A null stands for an absent member everywhere: there
// are clients that write null for what they leave out.
type Params struct {
	Kind      jsonscan.Kind // Invalid when absent
	Raw       []byte        // the whole value
	Name      []byte        // tools/call
	URI       []byte        // resources/read
	Arguments []byte        // tools/call
	Cursor    []byte        // tools/list
	Responses []byte        // inputResponses: answers to what the server has asked
	State     []byte        // requestState: what the server gave with the questions
	Task      []byte        // task: a wish to have the call run as a task
	Meta      Meta
	Twice     string // a member above that was given more than once, "" if none
}

// Meta is what is known of params._meta.
type Meta struct {
	Kind               jsonscan.Kind // Invalid when absent
	Raw                []byte        // the whole value
	ProgressToken      []byte
	ProtocolVersion    []byte
	ClientCapabilities []byte
	ClientInfo         []byte
	LogLevel           []byte
}

// Clone returns a copy that shares no memory with the message.
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

// MetaPrefix starts the names of the members of _meta that are the protocol's own.
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

// seen is a set of members of params that were read.
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

// see notes that a member of params is there, and when it is there for the second time.
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
	if len(value) > 0 && value[0] == 'n' { // cheaper than jsonscan.KindOf, for each member of each call
		return nil
	}
	return value
}

// isObject reports whether an object comes next, which is left to the caller; any other value is read into raw.
func (r *reader) isObject(kind *jsonscan.Kind, raw *[]byte) bool {
	if *kind = r.Next(); *kind == jsonscan.Object {
		return true
	}
	if *raw = r.present(); *raw == nil {
		*kind = jsonscan.Invalid
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
