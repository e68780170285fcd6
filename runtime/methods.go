package runtime

import "github.com/mcptool-go/mcptool/runtime/internal/wire"

// method is one row of the table of methods: everything that package runtime has to know about a request.
type method struct {
	name    string
	span    wire.Span // the revisions that have it
	subject subject   // what its params name
	// retries means that the method may be answered with requests to the client (see [mcptool.Elicit]), and is then
	// sent again with the answers.
	retries bool
	// cacheable is for methods in authoredMethods: from revision 2026-07-28 on, their results get caching hints. Built-in
	// methods append theirs in their own code: tools/list and server/discover with appendCacheHint (pages.go).
	cacheable bool
	// offered reports whether this server serves the method to revision v; nil means always.
	offered func(c *core, v wire.Version) bool

	// How it is served, by one of the following. Use start with replyLong (reply.go) if the result may be long (schemas,
	// lists of tools), start if the response comes later, and answer otherwise.
	answer func(r *request, dst []byte) ([]byte, *wireError) // appends the result object
	start  func(r *request) *wireError                       // sends the response itself, now or later
	calls  bool                                              // runs the tool that it names
	own    *toolState                                        // runs a custom method
}

// isCall reports whether requests of the method run code of the program: a tool or a custom method.
func (m *method) isCall() bool { return m.calls || m.own != nil }

// subject is what a method names: the member of params with the name, and the kind of thing that is named. Every
// request of the method must name one. Over HTTP the header Mcp-Name repeats the name ([Message.Subject]). The kind
// determines who may send the request: see lookup.go and authorize.go.
type subject struct {
	param string
	kind  subjectKind
}

// subjectKind is a kind of thing that methods name.
type subjectKind uint8

const (
	noSubject       subjectKind = iota // the method names nothing
	toolSubject                        // a tool: for callers that hold its scopes
	taskSubject                        // a task: for its owner
	authoredSubject                    // a prompt or resource: the custom method decides
)

// methods returns the rows of all built-in methods. Custom methods are in [Methods].
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

// authoredMethods returns what the protocol defines of methods that are not built in; [NewMethods] completes the rows.
func authoredMethods() []method {
	return []method{
		{name: "prompts/get", subject: subject{"name", authoredSubject}, retries: true},
		{name: "prompts/list", cacheable: true},
		{name: "resources/list", cacheable: true},
		{name: "resources/templates/list", cacheable: true},
		{name: "resources/read", subject: subject{"uri", authoredSubject}, retries: true, cacheable: true},
	}
}

// Methods that other code refers to, for example to choose the revision.
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

// toolsCall is the row of the most frequent method.
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

// chooseMethod finds the row of the method, and checks the params in general.
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
