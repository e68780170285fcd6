package envelope

import "github.com/mcptool-go/mcptool/internal/jsonscan"

// IDLimit is the longest request id and progress token, in bytes of JSON. Ids are kept
// while a request runs and are written back with each of its messages; real ones are
// numbers and UUIDs.
const IDLimit = 1024

// Kind tells apart what a peer may send.
type Kind uint8

// The kinds of message.
const (
	Malformed    Kind = iota // see Message.Flaw
	Request                  // wants a response
	Notification             // wants none, whatever happens
	Response                 // answers a request of ours
)

// Message is one message taken apart. All slices are parts of the text that
// was read and live as long as it does.
type Message struct {
	Kind   Kind
	ID     []byte // raw JSON of a readable id, else nil
	Method []byte // decoded name of a Request, or of a Notification without a Flaw
	Params Params
	Result []byte // raw JSON, of a Response that is one
	Error  []byte // raw JSON, of a Response that is one
	Flaw   string // what is wrong with the message, one sentence; never in a Request
}

// Read takes data, one JSON text, apart. Objects and arrays may nest maxDepth
// deep. The error is jsonscan's: a *SyntaxError or ErrDepth. An id that was
// seen before the error is no use to anyone: m is empty then.
func (m *Message) Read(data []byte, maxDepth int) error {
	*m = Message{}
	r := reader{msg: m}
	r.Reset(data, maxDepth)
	if r.Next() != jsonscan.Object {
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
	r.judge()
	return nil
}

// reader is the state of one Read.
type reader struct {
	jsonscan.Scanner
	msg                 *Message
	version, id, method []byte
	hasParams           bool
	seen                seen // members of params
}

// flaw records the first thing that is wrong with the message.
func (r *reader) flaw(text string) {
	if r.msg.Flaw == "" {
		r.msg.Flaw = text
	}
}

// What most messages have, as it is written.
var (
	version2  = []byte(`"2.0"`)
	toolsCall = []byte(`"tools/call"`)
)

// object reads the members of the message.
func (r *reader) object() {
	r.OpenObject()
	for {
		if r.version == nil && r.TakeMember(`"jsonrpc":"2.0"`) {
			r.version = version2
			continue
		}
		if r.method == nil && r.TakeMember(`"method":"tools/call"`) {
			r.method = toolsCall
			continue
		}
		name, ok := r.Member()
		if !ok {
			return
		}
		switch string(name) {
		case "jsonrpc":
			r.once(&r.version, "jsonrpc")
		case "id":
			if r.id != nil {
				r.flaw(`"id" stands in the message twice`)
				r.id = []byte("null")
				r.Value()
				continue
			}
			r.id = r.Value()
		case "method":
			r.once(&r.method, "method")
		case "params":
			if r.hasParams {
				r.flaw(`"params" stands in the message twice`)
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

// once reads the value of a member that may be there only once.
func (r *reader) once(dst *[]byte, name string) {
	if *dst != nil {
		r.flaw(`"` + name + `" stands in the message twice`)
	}
	*dst = r.Value()
}

// judge decides what kind of message this is.
func (r *reader) judge() {
	m := r.msg
	if ValidID(r.id) {
		m.ID = r.id
	}
	isNull := func(raw []byte) bool { return jsonscan.KindOf(raw) == jsonscan.Null }
	if isNull(r.method) { // absent, as in Params
		r.method = nil
	}
	if isNull(m.Error) && (r.method != nil || m.Result != nil) {
		m.Error = nil
	}
	if isNull(m.Result) && (r.method != nil || m.Error != nil) {
		m.Result = nil
	}
	isName := jsonscan.KindOf(r.method) == jsonscan.String
	answers := m.Result != nil || m.Error != nil
	if isName {
		m.Method = jsonscan.Unquote(r.method)
	}
	switch {
	case r.method == nil && answers:
		m.Kind = Response // whatever else is wrong: an answer is never answered
	case isName && r.id == nil:
		m.Kind = Notification // likewise
		if m.Flaw != "" {
			m.Method = nil // a name that nobody knows: it is ignored
		}
	case m.Flaw != "":
	case !jsonscan.Equal(r.version, "2.0"):
		r.flaw(`"jsonrpc" must be "2.0"`)
	case r.method == nil:
		r.flaw(`"method" is missing`)
	case !isName:
		r.flaw(`"method" must be a string`)
	case answers:
		r.flaw("a message is a request or a response, not both")
	case m.ID == nil:
		r.flaw("an id is a string or an integer, of at most 1024 bytes")
	default:
		m.Kind = Request
	}
}

// ValidID reports whether raw, a valid JSON value or nil, can be a request id
// or a progress token: a string, or a number written as an integer, of bounded
// length.
func ValidID(raw []byte) bool {
	return len(raw) > 0 && len(raw) <= IDLimit && (raw[0] == '"' || jsonscan.IsInteger(raw))
}

// Key returns id in the form that equal ids share: strings may be written with
// escapes or without. Ids of different types never share a key.
func Key(id []byte) string {
	if id[0] == '"' {
		return `"` + string(jsonscan.Unquote(id))
	}
	return string(id)
}
