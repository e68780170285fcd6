package runtime

import "github.com/mcptool-go/mcptool/internal/envelope"

// request is one request on its way through.
type request struct {
	session *Session
	to      replier // where all it sends goes
	id      []byte  // raw JSON
	version version // the revision to speak
	params  *envelope.Params
}

// method is one row of the table: a request clients may send.
type method struct {
	name string
	span span // the revisions that have it
	// answer appends the result object. It is for requests that are answered at once.
	answer func(r *request, dst []byte) ([]byte, *wireError)
	// start begins a request that is answered later, or never.
	start func(r *request) *wireError
	// offered says whether this server serves the method to revision v; nil means always.
	offered func(c *core, v version) bool
}

// methods is the table of all requests we serve.
func methods() []method {
	legacy, modern, all := span{v20241105, latestLegacy}, span{v20260728, latest}, span{v20241105, latest}
	return []method{
		{name: methodToolsCall, span: all, start: (*request).callTool},
		{name: "tools/list", span: all, answer: (*request).listTools},
		{name: methodPing, span: legacy, answer: (*request).ping},
		{name: methodInitialize, span: legacy, answer: (*request).initialize},
		{name: "server/discover", span: modern, answer: (*request).discover},
		{name: "logging/setLevel", span: legacy, answer: (*request).setLogLevel, offered: (*core).logsTo},
		{name: "subscriptions/listen", span: modern, start: (*request).listen},
	}
}

// The methods that have a part in choosing the revision, or are singled out elsewhere.
const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodToolsCall  = "tools/call"
)

// methodTable is the rows of methods by name.
var methodTable = func() map[string]method {
	table := map[string]method{}
	for _, m := range methods() {
		table[m.name] = m
	}
	return table
}()

// dispatch serves the request, or says why not.
func (r *request) dispatch(name []byte) *wireError {
	if err := r.chooseVersion(name); err != nil {
		return err
	}
	m, ok := methodTable[string(name)]
	if !ok || !m.span.includes(r.version) || m.offered != nil && !m.offered(r.session.core, r.version) {
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
