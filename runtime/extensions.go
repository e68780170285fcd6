package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/mcptool-go/mcptool/internal/capability"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// extensionPath is the prefix of the paths of capabilities that are extensions.
const extensionPath = "extensions."

// extensions are the valid extensions of a server.
type extensions struct {
	declared      []declaredExtension // in the order of Server.Extensions
	notifications map[string]clientNotification
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

// addExtensions adds the extensions to c. It adds nothing of an extension with mistakes.
func (c *core) addExtensions(all []Extension) {
	c.extensions.notifications = map[string]clientNotification{}
	c.methods.table = maps.Clone(c.methods.table)
	c.methods.capabilities = slices.Clone(c.methods.capabilities)
	var mistakes []error
	for i := range all {
		wrong := append(all[i].check(), c.clashes(&all[i])...)
		if len(wrong) == 0 {
			wrong = c.addExtension(&all[i])
		}
		for _, err := range wrong {
			mistakes = append(mistakes, fmt.Errorf("extension %q: %w", all[i].ID, err))
		}
		if len(wrong) > 0 {
			c.log.Error("extension is not served", slog.String("extension", all[i].ID), slog.Any("error", errors.Join(wrong...)))
		}
	}
	c.extensions.mistakes = errors.Join(mistakes...)
}

// clashes returns the parts of the extension that c already has.
func (c *core) clashes(e *Extension) (mistakes []error) {
	if slices.ContainsFunc(c.extensions.declared, func(d declaredExtension) bool { return d.id == e.ID }) {
		return []error{errors.New("is there twice")}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Methods.table)) {
		if c.methods.table[name] != nil {
			mistakes = append(mistakes, fmt.Errorf("method %q: is served already, by Server.Methods or another extension", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Notifications)) {
		if _, taken := c.extensions.notifications[name]; taken {
			mistakes = append(mistakes, fmt.Errorf("notification %q: another extension has it already", name))
		}
	}
	return mistakes
}

// addExtension adds a valid extension. If the registry does not accept its resources, it adds nothing.
func (c *core) addExtension(e *Extension) []error {
	span, _ := spanOf(e.Since, e.Until) // checked before
	settings, _ := e.settings()
	rows := map[string]*method{}
	for name, m := range e.Methods.table {
		row := *m
		if row.span = span.And(m.span); e.Required {
			row.extension = e.ID
		}
		// With its own state: it refers to its row, and another server may serve the same Methods.
		row.own = &toolState{row: &row, method: m.own.method, pace: newPace()}
		rows[name] = &row
	}
	if err := addResources(c.tools, e.Resources); err != nil {
		return []error{err}
	}
	if c.methods.table == nil {
		c.methods.table = map[string]*method{}
	}
	maps.Copy(c.methods.table, rows)
	for _, p := range e.Methods.capabilities {
		c.methods.capabilities = append(c.methods.capabilities, promise{p.capability, span.And(p.span)})
	}
	for name, handle := range e.Notifications {
		c.extensions.notifications[name] = clientNotification{handle, span}
	}
	c.wrapped.middleware = append(c.wrapped.middleware, e.Middleware...)
	c.extensions.declared = append(c.extensions.declared, declaredExtension{e.ID, settings, span})
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
func (c *core) extensionCapabilities(v wire.Version) (paths []string, settings map[string][]byte) {
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

// attachedExtensions returns the ids of the extensions with attachments on the tools, sorted.
func attachedExtensions(tools []*mcptool.Tool) (ids []string) {
	for _, t := range tools {
		for _, a := range t.Attachments() {
			ids = append(ids, a.Extension.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
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
	lacks := &mcptool.CapabilityError{Missing: []string{extensionPath + id}}
	if r.version.Has(wire.PerRequest) {
		return missingCapability(lacks, r.from.limits.MaxTextBytes)
	}
	return invalidRequest(wire.OneLine(lacks.Error(), r.from.limits.MaxTextBytes))
}
