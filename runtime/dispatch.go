package runtime

import "github.com/mcptool-go/mcptool/internal/envelope"

// request is one request on its way through.
type request struct {
	session *Session
	to      replier      // where all it sends goes
	access  *Access      // of who sent it
	memory  *Reservation // for its text, nil if nothing is reserved
	oldest  version      // that the transport serves
	id      []byte       // raw JSON
	version version      // the revision to speak
	params  *envelope.Params
	at      timestamp // see now
}

// now is when the request was read, or little after. Whoever asks for it first finds it out for all.
func (r *request) now() timestamp {
	if r.at == 0 {
		r.at = now()
	}
	return r.at
}

// later returns where what comes after the request's turn goes. A reader carries
// only what is answered in its turn.
func (r *request) later() replier {
	if turn, ok := r.to.(*reader); ok {
		return turn.session
	}
	return r.to
}

// method is one row of the table: a request clients may send.
type method struct {
	name string
	span span // the revisions that have it
	// answer appends the result object. It is for requests that are answered at once.
	answer func(r *request, dst []byte) ([]byte, *wireError)
	// start begins a request that is answered later, or never, or in a way of its own.
	start func(r *request) *wireError
	// offered says whether this server serves the method to revision v; nil means always.
	offered func(c *core, v version) bool
}

// methods is the table of all requests the engine serves. Those of the author are in [Methods].
func methods() []method {
	legacy, modern, all := span{v20241105, latestLegacy}, span{v20260728, latest}, span{v20241105, latest}
	return append(taskMethods(), []method{
		{name: methodToolsCall, span: all, start: (*request).callTool},
		{name: "tools/list", span: all, start: (*request).listTools},
		{name: methodPing, span: legacy, answer: (*request).ping},
		{name: methodInitialize, span: legacy, answer: (*request).initialize},
		{name: "server/discover", span: modern, answer: (*request).discover},
		{name: "logging/setLevel", span: legacy, answer: (*request).setLogLevel, offered: (*core).logsTo},
		{name: "subscriptions/listen", span: modern, start: (*request).listen},
	}...)
}

// The methods that have a part in choosing the revision, or are singled out elsewhere.
const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodToolsCall  = "tools/call"
)

// methodTable is the rows of methods by name.
var methodTable = func() map[string]*method {
	table := map[string]*method{}
	for _, m := range methods() {
		table[m.name] = &m
	}
	return table
}()

// toolsCall is the row of what most requests are.
var toolsCall = methodTable[methodToolsCall]

// method returns the row of the method with this name, nil if there is none.
func (c *core) method(name []byte) *method {
	if string(name) == methodToolsCall {
		return toolsCall
	}
	if m := methodTable[string(name)]; m != nil {
		return m
	}
	return c.methods.table[string(name)]
}

// dispatch serves the request, or says why not.
func (r *request) dispatch(name []byte) *wireError {
	if err := r.chooseVersion(name); err != nil {
		return err
	}
	m := r.session.method(name)
	if m == nil || !m.span.includes(r.version) || m.offered != nil && !m.offered(r.session.core, r.version) {
		return &wireError{code: codeMethodNotFound, message: "unknown method " + quote(string(name)), refusal: UnknownMethod}
	}
	if err := r.checkParams(); err != nil {
		return err
	}
	if m.start != nil {
		return m.start(r)
	}
	var err *wireError
	buf := getBuffer()
	*buf = beginResult(*buf, r.id)
	if *buf, err = m.answer(r, *buf); err == nil {
		*buf = endResponse(*buf)
		r.to.reply(*buf, Served)
	}
	putBuffer(buf)
	return err
}
