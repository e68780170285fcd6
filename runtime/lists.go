package runtime

import (
	"slices"
	"sort"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/reflectschema"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// lists are the lists of the registry that a server offers. It caches their catalogs, each until its items change.
type lists struct {
	tools       *mcptool.Registry // of tools, prompts and resources
	omitOutputs bool              // output schemas are not listed, except for tools that set OmitOutputSchema to false

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
	attached   []string        // ids of the extensions with attachments on them, sorted
	omits      bool            // see omitOutputs of lists
	states     *states
}

// catalog returns the catalog of the current tools.
func (l *lists) catalog() *catalog {
	// Read the generation first: if the tools change meanwhile, the next caller sees that this catalog is out of date.
	generation := internals.Generations(l.tools)[notify.Tools]
	if cat := l.current.Load(); cat != nil && cat.generation == generation {
		return cat
	}
	cat := &catalog{generation: generation, tools: l.tools.Tools(), omits: l.omitOutputs, states: &l.toolStates}
	cat.init(toolSubject, "tools", cat.tools, cat.appendEntry)
	for _, t := range cat.tools {
		settings := internals.Settings(t)
		cat.tasks = cat.tasks || settings.Task != mcptool.TaskSupportForbidden
		for _, a := range settings.Attachments {
			cat.attached = append(cat.attached, a.Extension.ID)
			if len(a.Meta) > 0 && !slices.Contains(cat.extensions, a.Extension) {
				cat.extensions = append(cat.extensions, a.Extension)
				cat.private = true // not all clients get the same list
			}
		}
	}
	slices.Sort(cat.attached)
	cat.attached = slices.Compact(cat.attached)
	l.toolStates.keep(cat.tools)
	l.current.Store(cat)
	return cat
}

// find returns the tool with this name; nil if there is none.
func (l *lists) find(name []byte) *toolState {
	cat := l.catalog()
	i := sort.Search(len(cat.tools), func(i int) bool { return internals.Settings(cat.tools[i]).Name >= string(name) })
	if i == len(cat.tools) || internals.Settings(cat.tools[i]).Name != string(name) {
		return nil
	}
	return cat.state(cat.tools[i])
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
func output(t *mcptool.Tool, v wire.Version) (outputForm, *reflectschema.Schema) {
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
	if wrapped, ok := schemas.Wrapped(schema, "result"); ok {
		return outputWrapped, wrapped
	}
	return outputNone, nil
}
