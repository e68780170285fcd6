package envelope

import (
	"bytes"

	"github.com/mcptool-go/mcptool/internal/rawjson"
)

// IDLimit is the maximum length of request ids and progress tokens, in bytes of JSON. The
// server keeps an id while the request runs and repeats it in messages about the request.
// Usual ids are numbers and UUIDs.
const IDLimit = 1024

// Kind is the kind of a message.
type Kind uint8

// The kinds of message.
const (
	Malformed    Kind = iota // see Message.Flaw
	Request                  // must be answered
	Notification             // must never be answered, even if it has a Flaw
	Response                 // answers a request of the server
)

// Message is a message, split into its parts. All slices but Method are parts
// of the text that was read, and valid as long as it is. Callers must not
// modify any of them.
type Message struct {
	Kind   Kind
	ID     []byte // raw JSON, nil if absent or invalid
	Method []byte // decoded; of a Request, or of a Notification without a Flaw
	Params Params
	Result []byte // raw JSON, of a Response; nil if absent
	Error  []byte // raw JSON, of a Response; nil if absent
	Flaw   string // the first error in the message, a phrase; always "" in a Request
}

// Read sets m to the message in data, one JSON text. Objects and arrays may
// nest maxDepth deep. The error is a [*rawjson.SyntaxError] or
// [rawjson.ErrDepth]; then m is empty, see [FindID] for the id.
func (m *Message) Read(data []byte, maxDepth int) error {
	*m = Message{}
	r := reader{msg: m}
	r.Reset(data, maxDepth)
	if r.Next() != rawjson.Object {
		r.Value()
		r.flaw("a message is a JSON object")
	} else {
		r.object()
	}
	r.End()
	if err := r.Err(); err != nil {
		*m = Message{}
		return err
	}
	if r.hasNull {
		m.Params.dropNulls()
	}
	r.judge()
	return nil
}

// reader is the state of one Read.
type reader struct {
	rawjson.Scanner
	msg                 *Message
	version, id, method []byte
	hasParams, hasMeta  bool
	hasNull             bool // among the members of params and _meta
}

// flaw records an error in the message, unless there is one already.
func (r *reader) flaw(text string) {
	if r.msg.Flaw == "" {
		r.msg.Flaw = text
	}
}

// object reads the members of the message.
func (r *reader) object() {
	r.OpenObject()
	for {
		name, ok := r.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "jsonrpc":
			r.once(&r.version, "jsonrpc")
		case "id":
			if r.id != nil {
				r.flaw(`duplicate member "id"`)
				r.id = []byte("null")
				r.Value()
				continue
			}
			r.id = r.Value()
		case "method":
			r.once(&r.method, "method")
		case "params":
			if r.hasParams {
				r.flaw(`duplicate member "params"`)
			}
			r.hasParams = true
			r.params()
		case "result":
			r.once(&r.msg.Result, "result")
		case "error":
			r.once(&r.msg.Error, "error")
		default:
			r.Value()
		}
	}
}

// once reads the value of a member that must not be repeated.
func (r *reader) once(dst *[]byte, name string) {
	if *dst != nil {
		r.flaw(`duplicate member "` + name + `"`)
	}
	*dst = r.Value()
}

// judge determines the kind of the message.
func (r *reader) judge() {
	m := r.msg
	if ValidID(r.id) {
		m.ID = r.id
	}
	isNull := func(raw []byte) bool { return rawjson.KindOf(raw) == rawjson.Null }
	if isNull(r.method) { // null counts as absent, as in Params
		r.method = nil
	}
	if isNull(m.Error) && (r.method != nil || m.Result != nil) {
		m.Error = nil
	}
	if isNull(m.Result) && (r.method != nil || m.Error != nil) {
		m.Result = nil
	}
	isName := rawjson.KindOf(r.method) == rawjson.String
	answers := m.Result != nil || m.Error != nil
	if isName {
		m.Method = rawjson.Unquote(r.method)
	}
	switch {
	case r.method == nil && answers:
		m.Kind = Response // even with a flaw: a response must not be answered
	case isName && r.id == nil:
		m.Kind = Notification // even with a flaw: a notification must not be answered
		if m.Flaw != "" {
			m.Method = nil // an unknown method, so that the notification is ignored
		}
	case m.Flaw != "":
	case !rawjson.Equal(r.version, "2.0"):
		r.flaw(`"jsonrpc" must be "2.0"`)
	case r.method == nil:
		r.flaw(`"method" is missing`)
	case !isName:
		r.flaw(`"method" must be a string`)
	case answers:
		r.flaw("a message is a request or a response, not both")
	case m.ID == nil:
		r.flaw("an id must be a string or an integer of at most 1024 bytes")
	default:
		m.Kind = Request
	}
}

// ValidID reports whether raw, a valid JSON value or nil, can be a request id
// or a progress token: a string or an integer without fraction and exponent, of
// at most [IDLimit] bytes.
func ValidID(raw []byte) bool {
	return len(raw) > 0 && len(raw) <= IDLimit && (raw[0] == '"' || rawjson.IsInteger(raw))
}

// Key returns a map key for id, which must be valid. Keys are equal if the ids
// are: strings are compared decoded, and a string never equals a number.
func Key(id []byte) string {
	if id[0] == '"' {
		return `"` + string(rawjson.Unquote(id))
	}
	return string(id)
}

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

// dropNulls makes members that are null absent, and arguments that are an empty array.
func (p *Params) dropNulls() {
	for _, part := range p.parts() {
		if rawjson.KindOf(*part) == rawjson.Null {
			*part = nil
		}
	}
	if isEmptyArray(p.Arguments) {
		p.Arguments = nil
	}
}

// isEmptyArray reports whether raw is an array without items. Clients in PHP send it for an object without members.
func isEmptyArray(raw []byte) bool {
	return rawjson.KindOf(raw) == rawjson.Array && len(bytes.TrimSpace(raw[1:len(raw)-1])) == 0
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
			r.hasNull = r.hasNull || isEmptyArray(p.Arguments)
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
// value into raw; null and an empty array count as absent.
func (r *reader) isObject(kind *rawjson.Kind, raw *[]byte) bool {
	if *kind = r.Next(); *kind == rawjson.Object {
		return true
	}
	if *raw = r.Value(); *kind == rawjson.Null || isEmptyArray(*raw) {
		*kind, *raw = rawjson.Invalid, nil
	}
	return false
}
