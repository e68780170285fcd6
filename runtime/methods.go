package runtime

import "github.com/mcptool-go/mcptool/runtime/internal/wire"

// method is one row of the table of methods: the properties of all requests of the method.
type method struct {
	name    string
	span    wire.Span // the revisions that have it
	subject subject   // what its params identify
	// retries means that the answer may contain requests to the client (see [mcptool.Elicit]); the client then repeats
	// the request with the answers.
	retries bool
	// audited is the message of the audit records of its requests; "" means that they are not audited.
	audited string
	// offered reports whether this server serves the method to revision v; nil means always.
	offered func(c *core, v wire.Version) bool
	// listens means that the method requires a transport that can send messages that belong to no request.
	listens bool

	// session means that requests of legacy revisions must belong to a session.
	session bool
	// stored means that all requests of the method use the task store, so they may take long; see useStore.
	stored bool

	// How it is served, by one of the following. Use start with replyLong (reply.go) if the result may be long (schemas,
	// lists of tools), start if the response comes later, and answer otherwise.
	answer func(r *request, dst []byte) ([]byte, *wireError) // appends the result object
	start  func(r *request) *wireError                       // sends the response itself, now or later
	calls  bool                                              // runs the tool in the params
	reads  bool                                              // runs or completes the prompt or resource in the params
	lists  bool                                              // runs listers, if there are any; otherwise start is used
	own    *toolState                                        // runs a custom method

	extension string // of a custom method: id of the extension that the client must have declared; "" for none
}

// methods returns the rows of all built-in methods. Custom methods are in [Methods].
func methods() []method {
	tool := subject{"name", toolSubject}
	return append(append(taskMethods(), itemMethods()...), []method{
		{name: methodToolsCall, span: wire.AllVersions, subject: tool, retries: true, calls: true, audited: "tool called"},
		{name: "tools/list", span: wire.AllVersions, start: (*request).listTools},
		{name: methodPing, span: wire.LegacyVersions, answer: ping},
		{name: methodInitialize, span: wire.LegacyVersions, answer: initialize},
		{name: "server/discover", span: wire.ModernVersions, answer: discover},
		{name: "logging/setLevel", session: true, span: wire.LegacyVersions, answer: (*request).setLogLevel, offered: (*core).logsTo},
		{name: "subscriptions/listen", span: wire.ModernVersions, start: beginListening},
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
		{name: "resources/subscribe", session: true, span: wire.LegacyVersions, subject: resource, listens: true, answer: subscribeResource, offered: (*core).hasResources},
		{name: "resources/unsubscribe", session: true, span: wire.LegacyVersions, listens: true, answer: unsubscribeResource, offered: (*core).hasResources},
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

// resourcesRead is the row of the only method that runs resources; other methods only look them up.
var resourcesRead = methodTable[methodResourcesRead]

// method returns the row of the method with this name; nil if there is none.
func (c *core) method(name []byte) *method {
	if string(name) == methodToolsCall {
		return toolsCall
	}
	if m := methodTable[string(name)]; m != nil {
		return m
	}
	return c.methods.table[string(name)]
}
