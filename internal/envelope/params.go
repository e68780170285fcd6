package envelope

import "github.com/mcptool-go/mcptool/internal/jsonscan"

// Params is what is known of a message's params. Each slice is the raw JSON of
// a member, nil when it is absent.
type Params struct {
	Kind      jsonscan.Kind // Invalid when absent
	Raw       []byte        // the whole value
	Name      []byte        // tools/call
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

// MetaPrefix starts the names of the members of _meta that are the protocol's own.
const MetaPrefix = "io.modelcontextprotocol/"

// params reads the value of params.
func (r *reader) params() {
	p := &r.msg.Params
	p.Kind = r.Next()
	if p.Kind != jsonscan.Object {
		p.Raw = r.Value()
		return
	}
	start := r.Offset()
	r.OpenObject()
	for name, ok := r.Member(); ok; name, ok = r.Member() {
		switch string(name) {
		case "name":
			r.param(&p.Name, "name")
		case "arguments":
			r.param(&p.Arguments, "arguments")
		case "cursor":
			r.param(&p.Cursor, "cursor")
		case "inputResponses":
			r.param(&p.Responses, "inputResponses")
		case "requestState":
			r.param(&p.State, "requestState")
		case "task":
			r.param(&p.Task, "task")
		case "_meta":
			if p.Meta.Kind != jsonscan.Invalid {
				p.Twice = "_meta"
			}
			r.meta()
		default:
			r.Value()
		}
	}
	p.Raw = r.Since(start)
}

// param reads a member of params, and notes when it was there before.
func (r *reader) param(dst *[]byte, name string) {
	if *dst != nil {
		r.msg.Params.Twice = name
	}
	*dst = r.Value()
}

// meta reads the value of params._meta.
func (r *reader) meta() {
	m := &r.msg.Params.Meta
	m.Kind = r.Next()
	if m.Kind != jsonscan.Object {
		m.Raw = r.Value()
		return
	}
	start := r.Offset()
	r.OpenObject()
	for name, ok := r.Member(); ok; name, ok = r.Member() {
		switch string(name) {
		case "progressToken":
			r.param(&m.ProgressToken, "progressToken")
		case MetaPrefix + "protocolVersion":
			r.param(&m.ProtocolVersion, MetaPrefix+"protocolVersion")
		case MetaPrefix + "clientCapabilities":
			r.param(&m.ClientCapabilities, MetaPrefix+"clientCapabilities")
		case MetaPrefix + "clientInfo":
			r.param(&m.ClientInfo, MetaPrefix+"clientInfo")
		case MetaPrefix + "logLevel":
			r.param(&m.LogLevel, MetaPrefix+"logLevel")
		default:
			r.Value()
		}
	}
	m.Raw = r.Since(start)
}
