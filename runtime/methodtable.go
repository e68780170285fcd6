package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// methods returns the rows of all built-in methods. Custom methods are in [Methods].
func methods() []method {
	tool := subject{"name", toolSubject}
	return append(append(taskMethods(), itemMethods()...), []method{
		{name: methodToolsCall, span: wire.AllVersions, subject: tool, retries: true, calls: true, audited: "tool called"},
		{name: "tools/list", span: wire.AllVersions, start: listTools},
		{name: methodPing, span: wire.LegacyVersions, answer: ping},
		{name: methodInitialize, span: wire.LegacyVersions, answer: initialize},
		{name: "server/discover", span: wire.ModernVersions, answer: discover},
		{name: "logging/setLevel", session: true, span: wire.LegacyVersions, answer: setLogLevel, offered: (*core).logsTo},
		{name: "subscriptions/listen", span: wire.ModernVersions, start: beginListening},
	}...)
}

// itemMethods returns the rows of the methods that concern prompts and resources.
func itemMethods() []method {
	all, prompt, resource := wire.AllVersions, subject{"name", promptSubject}, subject{"uri", resourceSubject}
	return []method{
		{name: "prompts/list", span: all, start: listPrompts, offered: offersPrompts},
		{name: "prompts/get", span: all, subject: prompt, retries: true, reads: true, offered: offersPrompts, audited: "prompt rendered"},
		{name: "resources/list", span: all, start: listResources, lists: true, offered: offersResources},
		{name: "resources/templates/list", span: all, start: listTemplates, offered: offersResources},
		{name: "resources/subscribe", session: true, span: wire.LegacyVersions, subject: resource, listens: true, subscribes: true, answer: subscribeResource, offered: offersResources},
		{name: "resources/unsubscribe", session: true, span: wire.LegacyVersions, listens: true, answer: unsubscribeResource, offered: offersResources},
		{name: methodResourcesRead, span: all, subject: resource, retries: true, reads: true, offered: offersResources, audited: "resource read"},
		{name: "completion/complete", span: all, subject: subject{"ref", referenceSubject}, reads: true, offered: offersCompletions},
	}
}

// offersPrompts reports whether this server offers prompts.
func offersPrompts(c *core, _ wire.Version) bool { return c.notices.Offered()[notify.Prompts] }

// offersResources reports whether this server offers resources.
func offersResources(c *core, _ wire.Version) bool { return c.notices.Offered()[notify.Resources] }

// offersCompletions reports whether this server completes arguments.
func offersCompletions(c *core, v wire.Version) bool {
	return offersPrompts(c, v) && c.promptCatalog().completions || offersResources(c, v) && c.resourceCatalog().completions
}

func byName(rows []method) map[string]*method {
	table := map[string]*method{}
	for _, m := range rows {
		table[m.name] = &m
	}
	return table
}

// methodTable is the rows of methods by name.
var methodTable = byName(methods())

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
	return c.extensions.methods.table[string(name)]
}

// NewMethods returns the set of the methods. The error lists all mistakes: a name that is missing, not allowed or used
// twice, an unknown revision, a Since after Until, or no Handle.
func NewMethods(methods ...Method) (Methods, error) {
	set := Methods{table: map[string]*method{}}
	var mistakes []error
	for _, m := range methods {
		revisions, err := m.check()
		if _, taken := set.table[m.Name]; taken && err == nil {
			err = errors.New("is listed twice")
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("method %q: %w", m.Name, err))
			continue
		}
		row := method{name: m.Name}
		row.span, row.own = revisions, &toolState{row: &row, method: &m, pace: new(pace), render: appendMethodReply}
		set.table[m.Name] = &row
		if m.Capability != "" {
			set.capabilities = append(set.capabilities, promise{m.Capability, revisions})
		}
	}
	if err := errors.Join(mistakes...); err != nil {
		return Methods{}, err
	}
	return set, nil
}

// MustMethods is like [NewMethods], but panics if that returns an error. Use it if the methods are fixed.
func MustMethods(methods ...Method) Methods {
	set, err := NewMethods(methods...)
	if err != nil {
		panic(err) //nolint:forbidigo // as the doc comment states
	}
	return set
}

// check returns the mistakes in m, and the revisions that have it.
func (m *Method) check() (revisions wire.Span, err error) {
	_, served := methodTable[m.Name]
	revisions, unknown := spanOf(m.Since, m.Until)
	switch {
	case m.Name == "":
		err = errors.New("has no name")
	case strings.HasPrefix(m.Name, "prompts/"):
		err = errors.New("is a method of the protocol for prompts; define them with mcptool.RegisterPrompt")
	case m.Name == "completion/complete":
		err = errors.New("is a method of the protocol; define prompts and resources with mcptool.RegisterPrompt, mcptool.RegisterResource and the option mcptool.Complete")
	case served && strings.HasPrefix(m.Name, "resources/"):
		err = errors.New("is a method of the protocol for resources; define them with mcptool.RegisterResource")
	case served:
		err = errors.New("is a method of the protocol, which this package serves")
	case strings.HasPrefix(m.Name, "notifications/"):
		err = errors.New("is the name of a notification, which has no response")
	case strings.HasPrefix(m.Name, "tasks/"):
		err = errors.New("has a prefix that the protocol reserves for tasks")
	case strings.HasPrefix(m.Name, "rpc."):
		err = errors.New("has a prefix that is reserved by JSON-RPC")
	case unknown != nil:
		err = unknown
	case m.Handle == nil:
		err = errors.New("has no Handle")
	}
	return revisions, err
}

// spanOf returns the revisions from since to until; "" means the oldest or the newest one.
func spanOf(since, until string) (wire.Span, error) {
	revisions := wire.AllVersions
	if since != "" {
		revisions.First = wire.ParseVersion(since)
	}
	if until != "" {
		revisions.Last = wire.ParseVersion(until)
	}
	switch {
	case revisions.First == wire.NoVersion:
		return revisions, fmt.Errorf("has Since %q, which is not a supported revision", since)
	case revisions.Last == wire.NoVersion:
		return revisions, fmt.Errorf("has Until %q, which is not a supported revision", until)
	case revisions.First > revisions.Last:
		return revisions, fmt.Errorf("has Since %s, which comes after Until %s", since, until)
	}
	return revisions, nil
}
