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

// lists are the lists of the registry that a server offers. It caches their catalogs, each until its items change.
type lists struct {
	tools *mcptool.Registry // of tools, prompts and resources

	toolStates, promptStates, resourceStates states

	current   atomic.Pointer[catalog] // of the tools
	prompts   atomic.Pointer[promptCatalog]
	resources atomic.Pointer[resourceCatalog]
}

// catalog is the tools at one time, with their rendered lists. It is safe for concurrent use.
type catalog struct {
	list
	generation uint64
	tools      []*mcptool.Tool // by name
	tasks      bool            // at least one of them can run as a task
	attached   []string        // ids of the extensions with attachments on them
	states     *states
	last       atomic.Pointer[toolState] // the last one that was looked up, which is often the next one; nil: none
	schemas    sync.Map                  // *mcptool.Tool -> *reflectschema.Schema, wrapped output; nil: impossible
}

// catalog returns the catalog of the current tools.
func (l *lists) catalog() *catalog {
	// Read the generation first: if the tools change meanwhile, the next caller sees that this catalog is out of date.
	generation := internals.Generations(l.tools)[notify.Tools]
	if cat := l.current.Load(); cat != nil && cat.generation == generation {
		return cat
	}
	cat := &catalog{generation: generation, tools: l.tools.Tools(), states: &l.toolStates}
	cat.init(toolSubject, "tools", cat.tools, cat.appendEntry)
	if cat.extensions = clientExtensions(cat.tools); len(cat.extensions) > 0 { // not all clients get the same list
		cat.private = true
	}
	l.toolStates.keep(cat.tools)
	cat.tasks = slices.ContainsFunc(cat.tools, func(t *mcptool.Tool) bool { return internals.Settings(t).Task != mcptool.TaskSupportForbidden })
	cat.attached = attachedExtensions(cat.tools)
	l.current.Store(cat)
	return cat
}

// find returns the tool with this name; nil if there is none.
func (l *lists) find(name []byte) *toolState {
	cat := l.catalog()
	if last := cat.last.Load(); last != nil && internals.Settings(last.tool).Name == string(name) {
		return last
	}
	tool, ok := l.tools.Lookup(string(name))
	if !ok {
		return nil
	}
	found := cat.state(tool)
	cat.last.Store(found)
	return found
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
