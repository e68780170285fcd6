package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// Extension is a protocol extension that a server supports: [Server.Extensions]. The server declares it to clients of
// all revisions, in the capabilities of the answers to initialize and server/discover, and serves its methods,
// notifications and resources. Only ID is required.
//
// To add members to the _meta of a single tool, an extension provides an option made with [mcptool.Attach]. A tool,
// prompt, resource or method finds out with [mcptool.Extension] whether the client of the request has declared the
// extension, and with which settings.
//
// https://modelcontextprotocol.io/extensions/overview
type Extension struct {
	// ID identifies the extension: the reversed name of a domain that its author owns, a slash, and a name, such as
	// "com.example/audit". The domain io.modelcontextprotocol is reserved for official extensions. A breaking change
	// needs another ID.
	ID string
	// Settings are declared to clients together with the ID. They are encoded as JSON by [reflectschema.AppendValue], and
	// must be an object; nil means {}.
	Settings any
	// Since and Until are the first and the last protocol revision in which the server supports the extension, such as
	// "2026-07-28"; "" means the oldest or the newest supported revision.
	Since, Until string
	// Methods are the requests of the extension that the server answers. Without the extension they are unknown
	// methods.
	Methods []Method
	// Notifications are the notifications that clients send for the extension, by method. A func gets the params, a
	// JSON object, or {} if the client has sent none, as a copy that it may keep. With its context, [mcptool.Caller],
	// [mcptool.Extension] and [mcptool.Logger] work as in a request. The context ends with the session.
	//
	// A func must return quickly: over a transport with one stream, such as stdio, no other message of the client is
	// read meanwhile, and notifications are handled in their order. It must be safe for concurrent use: over HTTP, and
	// from several clients, notifications arrive at the same time. While it runs, it counts for its caller in
	// [Limits.MaxCallsInFlight]; notifications beyond that are dropped, and logged. A panic is logged, and the session
	// continues. Notifications have no answer, and Required does not apply to them.
	Notifications map[string]func(ctx context.Context, params json.RawMessage)
	// Resources are served together with the resources of the registry. At the first use of the server they are added
	// to [Server.Tools]. A slice that is empty but not nil makes the server declare that it has resources.
	Resources []*mcptool.Resource
	// Tools are served together with the tools of the registry. At the first use of the server they are added to
	// [Server.Tools]. Of a [Selection], only ReadOnly and Except apply to them.
	Tools []*mcptool.Tool
	// Unlisted reports whether tools/list leaves out a tool, which clients can still call by its name. It is called with
	// every tool after the tools have changed, and must return the same for the same tool. Nil lists all tools.
	Unlisted func(tool *mcptool.Tool) bool
	// Redirects, by the name of a tool, direct its calls to another tool. A func gets the arguments of the client, nil if
	// there are none, and must not keep them. Arguments that the tool ignores are removed, and with [Server.Coerce] others are
	// converted, as for the tool itself; they are not checked. It returns the name of the other tool and its arguments, which
	// may be a part of args. The call is then in everything a call of that tool: its checks, texts, scopes, limits, timeout,
	// tasks and result. The headers that repeat arguments of a call over HTTP are not required. Observers see the other tool,
	// and [observe.Operation] has the name of the first one in Via.
	//
	// If ok is false, or the caller has no such tool, or its calls are redirected as well, then the first tool runs, and
	// should return an error that says why. Observers then see a call of the first tool; but if the other one exists and is
	// not selected, they see that one, as for a call through the first, and [observe.Result] is Unselected. A func must be
	// fast and safe for concurrent use. A panic is logged, and counts as false.
	Redirects map[string]func(args json.RawMessage) (tool string, toolArgs json.RawMessage, ok bool)
	// Middleware wraps every tool, inside of [Server.Middleware] and outside of the middleware of the tool. Use it to
	// add members to the results of tools.
	Middleware []mcptool.Middleware
	// Bind is called once at the first use of each server that has the extension, with its tools, to which those of all
	// extensions were added. It is not called if the extension has other mistakes. Its error is a mistake in the
	// configuration of the extension, which [Server.Check] returns. Bind may be nil.
	Bind func(tools *mcptool.Registry) error
	// Required refuses Methods to clients that have not declared the extension: clients of revision 2026-07-28 and later get
	// error -32021 with the capability that is missing, older ones -32600. By default every client may use them.
	Required bool
}

// check returns the mistakes in the extension itself, without regard to the rest of the server, and its methods.
func (e *Extension) check() (own customMethods, mistakes []error) {
	if len(e.ID) > maxExtensionID || !extensionID.MatchString(e.ID) {
		return own, []error{errors.New(`has an invalid ID; use a reversed domain, a slash and a name, such as "com.example/thing"`)}
	}
	if e.ID == tasksExtension {
		return own, []error{errors.New("is served by package runtime; leave it out, and use mcptool.Task")}
	}
	span, err := spanOf(e.Since, e.Until)
	if err != nil {
		return own, []error{err}
	}
	own, mistakes = newCustomMethods(e.Methods)
	for _, name := range slices.Sorted(maps.Keys(own.table)) {
		if both := span.And(own.table[name].span); both.First > both.Last {
			mistakes = append(mistakes, fmt.Errorf("method %q: not available in any revision of the extension; change Since or Until", name))
		}
	}
	if _, err := e.settings(); err != nil {
		mistakes = append(mistakes, err)
	}
	for _, name := range slices.Sorted(maps.Keys(e.Notifications)) {
		switch reason := notificationProblem(name); {
		case reason != "":
			mistakes = append(mistakes, fmt.Errorf("notification %q: %s", name, reason))
		case e.Notifications[name] == nil:
			mistakes = append(mistakes, fmt.Errorf("notification %q: has no func", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Redirects)) {
		if e.Redirects[name] == nil {
			mistakes = append(mistakes, fmt.Errorf("redirect of tool %q: has no func", name))
		}
	}
	return own, append(mistakes, checkMiddleware("", e.Middleware)...)
}

// checkMiddleware returns an error, with the prefix, for each element that is nil.
func checkMiddleware(prefix string, middleware []mcptool.Middleware) (mistakes []error) {
	for i, m := range middleware {
		if m == nil {
			mistakes = append(mistakes, fmt.Errorf("%sMiddleware: element %d is nil; leave it out", prefix, i))
		}
	}
	return mistakes
}

// settings returns the settings as JSON.
func (e *Extension) settings() (json.RawMessage, error) {
	if e.Settings == nil {
		return json.RawMessage("{}"), nil
	}
	raw, err := reflectschema.AppendValue(nil, e.Settings)
	if err != nil {
		return nil, fmt.Errorf("has Settings that cannot be encoded as JSON: %w", err)
	}
	if rawjson.KindOf(raw) != rawjson.Object {
		return nil, fmt.Errorf("has Settings that are not a JSON object: %s; use a struct or a map", wire.Quote(string(raw)))
	}
	return raw, nil
}

// extensionID matches a reversed domain, a slash and a name. The labels of the domain begin with a letter, end with a
// letter or digit, and may contain hyphens; the name begins and ends with a letter or digit, and may contain hyphens,
// underscores and dots.
var extensionID = regexp.MustCompile(`^` + domainLabel + `(\.` + domainLabel + `)+/[A-Za-z0-9]([\w.-]*[A-Za-z0-9])?$`)

// domainLabel matches a label of a domain.
const domainLabel = `[A-Za-z]([A-Za-z0-9-]*[A-Za-z0-9])?`

// maxExtensionID is the maximum length of an ID, in bytes: the maximum length of a domain name, and as much for the
// name.
const maxExtensionID = 2 * 253

// protocolNotifications are the notifications of all revisions, in both directions.
var protocolNotifications = []string{
	"notifications/cancelled", "notifications/elicitation/complete", "notifications/initialized", "notifications/message",
	"notifications/progress", "notifications/prompts/list_changed", "notifications/resources/list_changed",
	"notifications/resources/updated", "notifications/roots/list_changed", "notifications/subscriptions/acknowledged",
	"notifications/tools/list_changed",
}

// notificationProblem returns why an extension cannot have a notification with this name; "" if it can.
func notificationProblem(name string) string {
	switch {
	case name == "":
		return "has no name"
	case slices.Contains(protocolNotifications, name):
		return "is a notification of the protocol"
	case name == "notifications/tasks" || strings.HasPrefix(name, "notifications/tasks/"):
		return "has a prefix that the protocol reserves for tasks"
	case strings.HasPrefix(name, "rpc."):
		return "has a prefix that is reserved by JSON-RPC"
	case methodTable[name] != nil:
		return "is a request of the protocol"
	default:
		return ""
	}
}

// newExtensions returns the extensions without mistakes, for a server with these methods, and all mistakes, also of the
// methods. It adds the resources of the extensions to the registry.
func newExtensions(all []Extension, methods []Method, registry *mcptool.Registry) (x extensions, mistakes []error) {
	x.notifications, x.redirects = map[string]clientNotification{}, map[string]redirect{}
	x.methods, mistakes = newCustomMethods(methods)
	for i, err := range mistakes {
		mistakes[i] = fmt.Errorf("Server.Methods: %w", err)
	}
	var added []*Extension
	for i := range all {
		own, wrong := all[i].check()
		wrong = append(wrong, x.clashes(&all[i], own)...)
		if len(wrong) == 0 {
			wrong = x.add(&all[i], own, registry)
		}
		if len(wrong) == 0 {
			added = append(added, &all[i])
		}
		for _, err := range wrong {
			mistakes = append(mistakes, fmt.Errorf("extension %q: %w", all[i].ID, err))
		}
	}
	for _, e := range added {
		if e.Bind == nil {
			continue
		}
		if err := e.Bind(registry); err != nil {
			mistakes = append(mistakes, fmt.Errorf("extension %q: %w", e.ID, err))
		}
	}
	return x, mistakes
}

// clashes returns the parts of the extension that are already taken.
func (x *extensions) clashes(e *Extension, own customMethods) (mistakes []error) {
	if slices.ContainsFunc(x.declared, func(d declaredExtension) bool { return d.id == e.ID }) {
		return []error{errors.New("is listed twice")}
	}
	for _, name := range slices.Sorted(maps.Keys(own.table)) {
		if x.methods.table[name] != nil {
			mistakes = append(mistakes, fmt.Errorf("method %q: already served by Server.Methods or another extension", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Notifications)) {
		if _, taken := x.notifications[name]; taken {
			mistakes = append(mistakes, fmt.Errorf("notification %q: already handled by another extension", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Redirects)) {
		if x.redirects[name] != nil {
			mistakes = append(mistakes, fmt.Errorf("redirect of tool %q: already redirected by another extension", name))
		}
	}
	return mistakes
}

// add adds a valid extension. If the registry does not accept its items, it adds nothing.
func (x *extensions) add(e *Extension, own customMethods, registry *mcptool.Registry) []error {
	if err := addOwn(registry, e); err != nil {
		return mistakesOf(err)
	}
	span, _ := spanOf(e.Since, e.Until) // checked before
	settings, _ := e.settings()
	for name, row := range own.table {
		if row.span = span.And(row.span); e.Required {
			row.extension = e.ID
		}
		x.methods.table[name] = row
	}
	for _, p := range own.capabilities {
		x.methods.capabilities = append(x.methods.capabilities, promise{p.capability, span.And(p.span)})
	}
	for name, handle := range e.Notifications {
		x.notifications[name] = clientNotification{handle, span}
	}
	x.middleware = append(x.middleware, e.Middleware...)
	maps.Copy(x.redirects, e.Redirects)
	if e.Unlisted != nil {
		x.unlisted = append(x.unlisted, e.Unlisted)
	}
	for _, t := range e.Tools {
		x.tools = append(x.tools, internals.Settings(t).Name)
	}
	slices.Sort(x.tools)
	x.declared = append(x.declared, declaredExtension{e.ID, settings, span})
	return nil
}

// mistakesOf returns the mistakes that a registry has found, without the location of the call: it is in this package.
func mistakesOf(err error) (mistakes []error) {
	refused, ok := errors.AsType[*mcptool.RegisterError](err)
	if !ok {
		return []error{err}
	}
	for _, m := range refused.Mistakes {
		mistakes = append(mistakes, errors.New(m.String()))
	}
	return mistakes
}

// addOwn adds the tools and resources of the extension to the registry, except those that it already has: two servers
// may share it.
func addOwn(to *mcptool.Registry, e *Extension) error {
	var items []mcptool.Item
	there := slices.Collect(to.Tools())
	for _, t := range e.Tools {
		if t == nil || !slices.Contains(there, t) {
			items = append(items, t)
		}
	}
	if e.Resources != nil {
		there := slices.Collect(to.Resources())
		items = append(items, mcptool.Resources(slices.DeleteFunc(slices.Clone(e.Resources), func(r *mcptool.Resource) bool { return slices.Contains(there, r) })))
	}
	if items == nil {
		return nil
	}
	return to.Add(items...)
}
