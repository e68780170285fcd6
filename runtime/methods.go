package runtime

import "github.com/mcptool-go/mcptool/runtime/internal/wire"

// method is one row of the table: a request that clients may send, and all that holds for it before it is served.
type method struct {
	name    string
	span    wire.Span // the revisions that have it
	subject subject   // what its params name
	// retries says that it may be answered with requests to the client ([mcptool.Elicit] and its kin), and is sent again with the answers.
	retries bool
	// cacheable says that its results carry caching hints from revision 2026-07-28 on.
	cacheable bool
	// offered reports whether this server serves the method to revision v; nil means always.
	offered func(c *core, v wire.Version) bool

	// How it is served, by one of:
	answer func(r *request, dst []byte) ([]byte, *wireError) // appends the result object, at once
	start  func(r *request) *wireError                       // answers later, or in a way of its own
	calls  bool                                              // runs the tool that it names
	own    *toolState                                        // runs a custom method
}

// isCall reports whether requests of the method run what an author wrote.
func (m *method) isCall() bool { return m.calls || m.own != nil }

// subject is what a method is about: the member of params that names it, and of what kind it is. Every request must name
// it, over HTTP the header Mcp-Name repeats it ([Message.Subject]), and its kind decides who may use it: lookup.go and
// authorize.go.
type subject struct {
	param string
	kind  subjectKind
}

// subjectKind is a kind of thing that methods are about.
type subjectKind uint8

const (
	noSubject       subjectKind = iota // the method names nothing
	toolSubject                        // a tool: for callers that hold its scopes
	taskSubject                        // a task: for its owner
	authoredSubject                    // a prompt or resource: the custom method decides
)

// methods is the table of all requests that the engine serves. Those of the author are in [Methods].
func methods() []method {
	tool := subject{"name", toolSubject}
	return append(taskMethods(), []method{
		{name: methodToolsCall, span: wire.AllVersions, subject: tool, retries: true, calls: true},
		{name: "tools/list", span: wire.AllVersions, start: (*request).listTools},
		{name: methodPing, span: wire.LegacyVersions, answer: (*request).ping},
		{name: methodInitialize, span: wire.LegacyVersions, answer: (*request).initialize},
		{name: "server/discover", span: wire.ModernVersions, answer: (*request).discover},
		{name: "logging/setLevel", span: wire.LegacyVersions, answer: (*request).setLogLevel, offered: (*core).logsTo},
		{name: "subscriptions/listen", span: wire.ModernVersions, start: (*request).listen},
	}...)
}

// authoredMethods is what the protocol says of methods that are not the engine's: [NewMethods] completes the rows.
func authoredMethods() []method {
	return []method{
		{name: "prompts/get", subject: subject{"name", authoredSubject}, retries: true},
		{name: "prompts/list", cacheable: true},
		{name: "resources/list", cacheable: true},
		{name: "resources/templates/list", cacheable: true},
		{name: "resources/read", subject: subject{"uri", authoredSubject}, retries: true, cacheable: true},
	}
}

// The methods that have a part in choosing the revision, or are singled out elsewhere.
const (
	methodInitialize = "initialize"
	methodPing       = "ping"
	methodToolsCall  = "tools/call"
)

// methodTable is the rows of methods by name.
var methodTable = byName(methods())

// authoredTable is the rows of authoredMethods by name.
var authoredTable = byName(authoredMethods())

func byName(rows []method) map[string]*method {
	table := map[string]*method{}
	for _, m := range rows {
		table[m.name] = &m
	}
	return table
}

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

// chooseMethod finds the row of the method, and checks the params as far as they are those of every method.
func (r *request) chooseMethod(name []byte) *wireError {
	m := r.session.method(name)
	if m == nil || !m.span.Includes(r.version) || m.offered != nil && !m.offered(r.session.core, r.version) {
		return unknownMethod(string(name))
	}
	if err := r.checkParams(); err != nil {
		return err
	}
	r.method = m
	return nil
}
