package runtime

import (
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// method is one row of the table of methods: everything that package runtime has to know about a request.
type method struct {
	name    string
	span    wire.Span // the revisions that have it
	subject subject   // what its params name
	// retries means that the method may be answered with requests to the client (see [mcptool.Elicit]), and is then
	// sent again with the answers.
	retries bool
	// audited is the message of the audit records of its requests; "" means that there are none.
	audited string
	// offered reports whether this server serves the method to revision v; nil means always.
	offered func(c *core, v wire.Version) bool
	// listens means that transports which can send nothing that belongs to no request do not have it.
	listens bool

	// session means that requests of legacy revisions must belong to a session.
	session bool
	// stored means that all requests of the method use the task store, so that they may take long; see useStore.
	stored bool

	// How it is served, by one of the following. Use start with replyLong (reply.go) if the result may be long (schemas,
	// lists of tools), start if the response comes later, and answer otherwise.
	answer func(r *request, dst []byte) ([]byte, *wireError) // appends the result object
	start  func(r *request) *wireError                       // sends the response itself, now or later
	calls  bool                                              // runs the tool that it names
	reads  bool                                              // runs or completes the prompt or resource that it names
	lists  bool                                              // runs listers, if there are any; otherwise start serves it
	own    *toolState                                        // runs a custom method

	extension string // the client must have declared the extension with this id, of a custom method; "" for none
}

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
	noSubject        subjectKind = iota // the method names nothing
	toolSubject                         // a tool: for callers for whom it exists, as for the next three
	promptSubject                       // a prompt
	resourceSubject                     // a resource, by a URI
	referenceSubject                    // a prompt by its name or a resource by its template, in params.ref; no header repeats it
	taskSubject                         // a task: for its owner
)

// noun returns what things of this kind are called in messages and logs.
func (k subjectKind) noun() string {
	switch k {
	case toolSubject:
		return "tool"
	case promptSubject:
		return "prompt"
	case resourceSubject:
		return "resource"
	default:
		return "method"
	}
}

// name sets what info describes to an item of this kind.
func (k subjectKind) name(info *mcptool.CallInfo, name string) {
	switch k {
	case promptSubject:
		info.Prompt = name
	case resourceSubject:
		info.Resource = name
	default:
		info.Tool = name
	}
}

// methods returns the rows of all built-in methods. Custom methods are in [Methods].
func methods() []method {
	tool := subject{"name", toolSubject}
	return append(append(taskMethods(), itemMethods()...), []method{
		{name: methodToolsCall, span: wire.AllVersions, subject: tool, retries: true, calls: true, audited: "tool called"},
		{name: "tools/list", span: wire.AllVersions, start: (*request).listTools},
		{name: methodPing, span: wire.LegacyVersions, answer: (*request).ping},
		{name: methodInitialize, span: wire.LegacyVersions, answer: (*request).initialize},
		{name: "server/discover", span: wire.ModernVersions, answer: (*request).discover},
		{name: "logging/setLevel", session: true, span: wire.LegacyVersions, answer: (*request).setLogLevel, offered: (*core).logsTo},
		{name: "subscriptions/listen", span: wire.ModernVersions, start: (*request).listen},
	}...)
}

// itemMethods returns the rows of the methods that concern prompts and resources.
func itemMethods() []method {
	all, prompt, resource := wire.AllVersions, subject{"name", promptSubject}, subject{"uri", resourceSubject}
	return []method{
		{name: "prompts/list", span: all, start: (*request).listPrompts, offered: (*core).hasPrompts},
		{name: "prompts/get", span: all, subject: prompt, retries: true, reads: true, offered: (*core).hasPrompts, audited: "prompt rendered"},
		{name: "resources/list", span: all, start: (*request).listResources, lists: true, offered: (*core).hasResources},
		{name: "resources/templates/list", span: all, start: (*request).listTemplates, offered: (*core).hasResources},
		{name: "resources/subscribe", session: true, span: wire.LegacyVersions, subject: resource, listens: true, answer: (*request).subscribeResource, offered: (*core).hasResources},
		{name: "resources/unsubscribe", session: true, span: wire.LegacyVersions, listens: true, answer: (*request).unsubscribeResource, offered: (*core).hasResources},
		{name: methodResourcesRead, span: all, subject: resource, retries: true, reads: true, offered: (*core).hasResources, audited: "resource read"},
		{name: "completion/complete", span: all, subject: subject{"ref", referenceSubject}, reads: true, offered: (*core).hasCompletions},
	}
}

// Methods that other code refers to, for example to choose the revision.
const (
	methodInitialize    = "initialize"
	methodPing          = "ping"
	methodToolsCall     = "tools/call"
	methodResourcesRead = "resources/read"
)

// methodTable is the rows of methods by name.
var methodTable = byName(methods())

func byName(rows []method) map[string]*method {
	table := map[string]*method{}
	for _, m := range rows {
		table[m.name] = &m
	}
	return table
}

// toolsCall is the row of the most frequent method.
var toolsCall = methodTable[methodToolsCall]

// resourcesRead is the row of the method that runs resources; others only look them up.
var resourcesRead = methodTable[methodResourcesRead]

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
	if m != nil && m.span.First.Has(wire.PerRequest) && r.lacksSession() {
		return noVersion()
	}
	if m == nil || !m.span.Includes(r.version) || m.listens && r.noListening || m.offered != nil && !m.offered(r.session.core, r.version) {
		return unknownMethod(string(name))
	}
	if m.session && r.lacksSession() {
		return methodNotOffered(wire.Quote(string(name)) + " needs a session, and the request belongs to none")
	}
	r.method = m // before the params are checked, so that a call with bad ones is audited
	return r.checkParams()
}
