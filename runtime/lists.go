package runtime

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// lists caches the catalogs of tools, prompts and resources, each until its items change.
type lists struct {
	current   atomic.Pointer[catalog]
	prompts   atomic.Pointer[promptCatalog]
	resources atomic.Pointer[resourceCatalog]
}

// warnIfEmpty logs once, when the server begins to serve, that there is nothing to serve, and the likely reason.
func (c *core) warnIfEmpty() {
	c.warnedEmpty.Do(func() {
		if c.notices.Offered() != (notify.Set{notify.Tools: true}) || c.tools.Generation() != 0 || len(c.methods.table)+len(c.extensions.declared) > 0 {
			return
		}
		const empty = "clients will see no tools, prompts or resources: "
		if n := len(mcptool.Default.Tools()); n > 0 {
			c.log.Warn(empty+"the registry in Server.Tools is empty, and mcptool.Register adds to mcptool.Default; leave Server.Tools nil, or call Add of the registry", "tools_in_default", n)
			return
		}
		c.log.Warn(empty + "the registry is empty; call mcptool.Register, or Add of the registry in Server.Tools, before serving")
	})
}

// catalog is the tools at one time, with their rendered lists. It is safe for concurrent use.
type catalog struct {
	list
	generation uint64
	tools      []*mcptool.Tool // by name
	limits     *limitsByTool
	wrapped    *wrappedTools
	tasks      bool     // at least one of them can run as a task
	attached   []string // ids of the extensions with attachments on them
	states     states
	last       atomic.Pointer[toolState] // the last one that was looked up, which is often the next one; nil: none
	schemas    sync.Map                  // *mcptool.Tool -> *reflectschema.Schema, wrapped output; nil: impossible
}

// catalog returns the catalog of the current tools.
func (c *core) catalog() *catalog {
	// Read the generation first: if the tools change meanwhile, the next caller sees that this catalog is out of date.
	generation := c.tools.Generation()
	if cat := c.lists.current.Load(); cat != nil && cat.generation == generation {
		return cat
	}
	cat := &catalog{generation: generation, tools: c.tools.Tools(), limits: c.toolLimits, wrapped: &c.wrapped}
	cat.init(toolSubject, "tools", cat.tools, cat)
	if cat.extensions = clientExtensions(cat.tools); len(cat.extensions) > 0 { // not all clients get the same list
		cat.private = true
	}
	c.toolLimits.keep(cat.tools)
	c.wrapped.keep(cat.tools)
	cat.tasks = slices.ContainsFunc(cat.tools, func(t *mcptool.Tool) bool { return t.Task().Support != mcptool.TaskForbidden })
	cat.attached = attachedExtensions(cat.tools)
	c.lists.current.Store(cat)
	return cat
}

// wrappedMember is the member with the structured result if that is not an object, for clients that require an object.
const wrappedMember = "result"

// wrap returns the tool's output schema wrapped into an object schema; nil if that is not possible.
func (cat *catalog) wrap(t *mcptool.Tool) *reflectschema.Schema {
	if kept, ok := cat.schemas.Load(t); ok {
		schema, _ := kept.(*reflectschema.Schema)
		return schema
	}
	schema, ok := schemas.Wrapped(t.OutputSchema(), wrappedMember)
	if !ok {
		schema = nil
	}
	cat.schemas.Store(t, schema)
	return schema
}

// outputForm is the form of a tool's structured result for clients of a revision.
type outputForm uint8

const (
	outputNone    outputForm = iota // not sent: the client gets only the text block
	outputObjects                   // sent unchanged if it is an object; no schema
	outputPlain                     // sent unchanged
	outputWrapped                   // sent as the member "result" of an object
)

// output returns the form and the schema of t's structured result for clients of revision v. For revisions that require
// an object, other schemas and values are wrapped into one, in lists and results.
func (cat *catalog) output(t *mcptool.Tool, v wire.Version) (outputForm, *reflectschema.Schema) {
	schema := t.OutputSchema()
	switch {
	case !v.Has(wire.Structured):
		return outputNone, nil
	case v.Has(wire.StructuredAny):
		return outputPlain, schema
	case schema == nil:
		return outputObjects, nil
	case schema.IsObject():
		return outputPlain, schema
	}
	if schema = cat.wrap(t); schema == nil {
		return outputNone, nil
	}
	return outputWrapped, schema
}
