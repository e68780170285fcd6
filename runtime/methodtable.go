package runtime

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// methods returns the rows of the methods of the protocol, for a server with these lists. Custom methods are in [customMethods].
func methods(c *core, l *lists) []method {
	g := greeter{c, l}
	return slices.Concat(taskMethods(l), itemMethods(l), []method{
		{name: methodToolsCall, span: wire.AllVersions, subject: subject{"name", toolSubject}, find: l.findTool, retries: true, calls: true},
		{name: "tools/list", span: wire.AllVersions, start: l.listTools},
		{name: methodPing, span: wire.LegacyVersions, answer: ping},
		{name: methodInitialize, span: wire.LegacyVersions, answer: g.initialize},
		{name: "server/discover", span: wire.ModernVersions, answer: g.discover},
		{name: "logging/setLevel", session: true, span: wire.LegacyVersions, answer: setLogLevel, offered: c.clientLog.reaches},
		{name: "subscriptions/listen", span: wire.ModernVersions, start: l.beginListening},
	})
}

// itemMethods returns the rows of the methods that concern prompts and resources.
func itemMethods(l *lists) []method {
	all, prompt, resource := wire.AllVersions, subject{"name", promptSubject}, subject{"uri", resourceSubject}
	arguments := completions{&l.prompts, &l.resources}
	return []method{
		{name: "prompts/list", span: all, start: l.prompts.list, offered: l.prompts.isOffered},
		{name: "prompts/get", span: all, subject: prompt, find: l.prompts.find, retries: true, offered: l.prompts.isOffered},
		{name: "resources/list", span: all, find: l.resources.findListers, start: l.resources.list, offered: l.resources.isOffered},
		{name: "resources/templates/list", span: all, start: l.resources.listTemplates, offered: l.resources.isOffered},
		{name: "resources/subscribe", session: true, span: wire.LegacyVersions, subject: resource, find: l.resources.find, listens: true, mayWait: l.resources.authorize, answer: subscribeResource, offered: l.resources.isOffered},
		{name: "resources/unsubscribe", session: true, span: wire.LegacyVersions, listens: true, answer: unsubscribeResource, offered: l.resources.isOffered},
		{name: methodResourcesRead, span: all, subject: resource, find: l.resources.find, retries: true, offered: l.resources.isOffered},
		{name: "completion/complete", span: all, subject: subject{"ref", referenceSubject}, find: arguments.find, offered: arguments.areOffered},
	}
}

func byName(rows []method) map[string]*method {
	table := map[string]*method{}
	for _, m := range rows {
		table[m.name] = &m
	}
	return table
}

// methodTable is the rows of the methods of the protocol, without a server: their funcs must not be called.
var methodTable = byName(methods(new(core), new(lists)))

// newCustomMethods returns the methods without mistakes, and the mistakes: a name that is missing, not allowed or used
// twice, an unknown revision, a Since after Until, or no Handle.
func newCustomMethods(methods []Method) (set customMethods, mistakes []error) {
	set.table = map[string]*method{}
	for _, m := range methods {
		revisions, err := m.check()
		if _, taken := set.table[m.Name]; taken && err == nil {
			err = errors.New("is listed twice")
		}
		if err != nil {
			mistakes = append(mistakes, fmt.Errorf("method %q: %w", m.Name, err))
			continue
		}
		row := method{name: m.Name, find: (*request).findOwn}
		row.span, row.own = revisions, &toolState{row: &row, method: &m, pace: new(pace), render: appendMethodReply}
		set.table[m.Name] = &row
		if m.Capability != "" {
			set.capabilities = append(set.capabilities, promise{m.Capability, revisions})
		}
	}
	return set, mistakes
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
		err = errors.New("is a method of the protocol, which every server answers; choose another name")
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
	case m.Cache != nil:
		err = m.Cache.check("Cache")
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
