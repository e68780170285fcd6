package runtime

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/mcptool-go/mcptool/internal/admission"
	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// extensionPath is the prefix of the paths of capabilities that are extensions.
const extensionPath = "extensions."

// extensions are the valid extensions of a server.
type extensions struct {
	declared      []declaredExtension // in the order of Server.Extensions
	methods       Methods             // including Server.Methods
	notifications map[string]clientNotification
	middleware    []mcptool.Middleware
	mistakes      error
}

// declaredExtension is an extension with its settings as JSON and the revisions in which it is declared.
type declaredExtension struct {
	id       string
	settings json.RawMessage
	span     wire.Span
}

// clientNotification is a notification of clients for an extension.
type clientNotification struct {
	handle func(context.Context, json.RawMessage)
	span   wire.Span
}

// newExtensions returns the extensions without mistakes, for a server with these methods. It adds their resources to the
// registry.
func newExtensions(all []Extension, methods Methods, registry *mcptool.Registry, logger *slog.Logger) extensions {
	x := extensions{
		methods:       Methods{table: map[string]*method{}, capabilities: slices.Clone(methods.capabilities)},
		notifications: map[string]clientNotification{},
	}
	maps.Copy(x.methods.table, methods.table)
	var mistakes []error
	for i := range all {
		wrong := append(all[i].check(), x.clashes(&all[i])...)
		if len(wrong) == 0 {
			wrong = x.add(&all[i], registry)
		}
		for _, err := range wrong {
			mistakes = append(mistakes, fmt.Errorf("extension %q: %w", all[i].ID, err))
		}
		if len(wrong) > 0 {
			logger.Error("extension is not served", slog.String("extension", all[i].ID), slog.Any("error", errors.Join(wrong...)))
		}
	}
	x.mistakes = errors.Join(mistakes...)
	return x
}

// clashes returns the parts of the extension that are already taken.
func (x *extensions) clashes(e *Extension) (mistakes []error) {
	if slices.ContainsFunc(x.declared, func(d declaredExtension) bool { return d.id == e.ID }) {
		return []error{errors.New("is listed twice")}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Methods.table)) {
		if x.methods.table[name] != nil {
			mistakes = append(mistakes, fmt.Errorf("method %q: already served by Server.Methods or another extension", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Notifications)) {
		if _, taken := x.notifications[name]; taken {
			mistakes = append(mistakes, fmt.Errorf("notification %q: already handled by another extension", name))
		}
	}
	return mistakes
}

// add adds a valid extension. If the registry does not accept its resources, it adds nothing.
func (x *extensions) add(e *Extension, registry *mcptool.Registry) []error {
	if err := addResources(registry, e.Resources); err != nil {
		return []error{err}
	}
	span, _ := spanOf(e.Since, e.Until) // checked before
	settings, _ := e.settings()
	for name, m := range e.Methods.table {
		row := *m
		if row.span = span.And(m.span); e.Required {
			row.extension = e.ID
		}
		// With its own state: it refers to its row, and another server may serve the same Methods.
		row.own = &toolState{row: &row, method: m.own.method, pace: new(pace), render: appendMethodReply}
		x.methods.table[name] = &row
	}
	for _, p := range e.Methods.capabilities {
		x.methods.capabilities = append(x.methods.capabilities, promise{p.capability, span.And(p.span)})
	}
	for name, handle := range e.Notifications {
		x.notifications[name] = clientNotification{handle, span}
	}
	x.middleware = append(x.middleware, e.Middleware...)
	x.declared = append(x.declared, declaredExtension{e.ID, settings, span})
	return nil
}

// addResources adds the resources to the registry, except those that it already has: two servers may share it.
func addResources(to *mcptool.Registry, resources []*mcptool.Resource) error {
	if resources == nil {
		return nil
	}
	there := map[*mcptool.Resource]bool{}
	for _, r := range to.Resources() {
		there[r] = true
	}
	return to.AddResources(slices.DeleteFunc(slices.Clone(resources), func(r *mcptool.Resource) bool { return there[r] })...)
}

// extensionCapabilities returns the paths of the extensions that c declares to clients of revision v, and their
// settings if they have any: the extensions of the server, tasks, and the extensions attached to tools.
func extensionCapabilities(c *core, v wire.Version) (paths []string, settings map[string][]byte) {
	if c.hasTasks(v) && v.Has(wire.PerRequest) {
		paths = append(paths, extensionPath+tasksExtension)
	}
	settings = map[string][]byte{}
	for _, d := range c.extensions.declared {
		if d.span.Includes(v) {
			paths = append(paths, extensionPath+d.id)
			settings[extensionPath+d.id] = d.settings
		}
	}
	for _, id := range c.catalog().attached {
		if path := extensionPath + id; !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths, settings
}

// declares reports whether the client of the request has declared the extension: in the request itself, or in the
// handshake of a legacy session.
func (r *request) declares(id string) bool {
	return capability.Has(r.capabilities(), extensionPath+id)
}

// capabilities returns the capabilities that the client of the request has declared, as JSON; nil if none.
func (r *request) capabilities() []byte {
	if r.version.Has(wire.PerRequest) {
		return r.params.Meta.ClientCapabilities
	}
	if h := r.from.hello.Load(); h != nil {
		return h.capabilities
	}
	return nil
}

// requireExtension refuses a request whose client has not declared the extension; "" requires none.
func (r *request) requireExtension(id string) *wireError {
	if id == "" || r.declares(id) {
		return nil
	}
	return missingCapability(&mcptool.CapabilityError{Missing: []string{extensionPath + id}}, r.version, r.from.limits.MaxTextBytes)
}

// notifyExtension passes the notification to its extension, if any.
//
//nolint:contextcheck,nolintlint // the session's context
func notifyExtension(r *request, name string) {
	n, known := r.from.extensions.notifications[name]
	params := r.params
	if !known || params.Kind != rawjson.Invalid && params.Kind != rawjson.Object || params.Twice != "" {
		return
	}
	if r.version = notificationVersion(r); !n.span.Includes(r.version) {
		return
	}
	s, who := r.from, r.access.caller()
	if err := s.inFlight.Take(who, 1, admission.Within); err != nil { // it runs an author's func, over HTTP for each request
		s.log.LogAttrs(s.ctx, slog.LevelWarn, "notification dropped, because too many calls are in flight", slog.String("method", name), slog.Any("error", err))
		return
	}
	defer s.inFlight.Give(who, 1)
	raw := bytes.Clone(params.Raw) // the buffer may be reused
	if params.Kind == rawjson.Invalid {
		raw = []byte("{}")
	}
	ctx := s.ctx
	if r.op != nil {
		ctx = r.op.ctx
	}
	ctx = internals.WithHost(ctx, &notifier{from: s, method: name, info: r.callInfo()})
	var running sync.WaitGroup
	running.Go(func() { // the func may end its goroutine
		defer contain.Panic(s.ctx, s.log.With(slog.String("method", name)), "notification failed")
		n.handle(ctx, raw)
	})
	running.Wait()
}

// notificationVersion returns the revision of a notification, which a modern one need not contain.
func notificationVersion(r *request) wire.Version {
	if named := r.params.Meta.ProtocolVersion; rawjson.KindOf(named) == rawjson.String {
		if v := wire.ParseVersion(rawjson.Unquote(named)); v.Has(wire.PerRequest) {
			return v
		}
	}
	if v := r.from.agreed(); v != wire.NoVersion && !r.stateless {
		return v
	}
	return wire.Latest
}

// notifier is the host, in terms of package mcptool, of a func that handles a notification.
type notifier struct {
	from   *origin
	method string
	info   *mcptool.CallInfo // copies, since the func may keep its context
}

// CallInfo implements host of package mcptool.
func (n *notifier) CallInfo() mcptool.CallInfo { return *n.info }

// Progress implements host of package mcptool. It does nothing, because there is no request.
func (n *notifier) Progress(float64, float64, string) {}

// LogHandler implements host of package mcptool. Records are written to the log of the server.
func (n *notifier) LogHandler() slog.Handler {
	return n.from.log.Handler().WithAttrs([]slog.Attr{slog.String("method", n.method)})
}
