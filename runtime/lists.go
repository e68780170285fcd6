package runtime

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
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

// state returns the state of the tool.
func (cat *catalog) state(t *mcptool.Tool) *toolState {
	if kept := cat.states.load(t); kept != nil {
		return kept
	}
	s := &toolState{row: toolsCall, kind: toolSubject, render: appendToolResult}
	for v := range s.forms {
		s.forms[v], _ = output(t, wire.Version(v))
	}
	return cat.states.add(t, s)
}

// appendEntry appends the entry of the tool with this index.
func (cat *catalog) appendEntry(dst []byte, i int, f form) []byte {
	t := cat.tools[i]
	_, schema := output(t, f.version)
	if *cmp.Or(internals.Settings(t).OmitOutputSchema, &cat.omits) {
		schema = nil
	}
	if cat.states.ignoresUnknown {
		t = internals.IgnoringUnknown(t)
	}
	meta := internals.MetaFor(t, func(e *mcptool.ClientExtension) bool { return f.supports(&cat.list, e) })
	return wire.AppendTool(dst, t, meta, schema, f.version)
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

// unknownItem refuses a name that is not in a list, or is hidden from the caller, and suggests similar names. It does not
// suggest hidden names, even if one was requested.
func unknownItem(r *request, name string, l *list) *wireError {
	const most = 3
	names := make([]string, 0, len(l.runners))
	seen := r.view(l)
	for i, t := range l.runners {
		if seen.shows(i) {
			names = append(names, internals.Settings(t).Name)
		}
	}
	text := "unknown " + l.kind.noun() + " " + wire.Quote(name)
	near := suggest.Within(name, names, most)
	for i := range near {
		near[i] = wire.Quote(near[i])
	}
	if len(near) > 0 {
		text += "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return invalidParams(text)
}

// unknownTarget refuses the subject of the request as if it did not exist.
func (r *request) unknownTarget() *wireError {
	name := r.target.name()
	switch {
	case r.uri != nil:
		return resourceNotFound(r.uri.raw, r.version)
	case r.target.kind == promptSubject:
		return unknownItem(r, name, &r.from.promptCatalog().list)
	case r.target.kind == resourceSubject:
		return unknownTemplate(name)
	default:
		return unknownItem(r, name, &r.from.catalog().list)
	}
}

// lookUpNamed finds the tool or prompt in the request.
func (r *request) lookUpNamed() *wireError {
	if rawjson.KindOf(r.params.Name) != rawjson.String {
		return invalidParams("params.name must be a string")
	}
	if kind := rawjson.KindOf(r.params.Arguments); kind != rawjson.Invalid && kind != rawjson.Object {
		return invalidParams("params.arguments must be an object")
	}
	name := rawjson.Unquote(r.params.Name)
	if r.method.subject.kind == promptSubject {
		return r.lookUpPrompt(string(name))
	}
	if r.target = r.from.find(name); r.target == nil {
		return unknownItem(r, string(name), &r.from.catalog().list)
	}
	return nil
}

// listTools answers tools/list.
func listTools(r *request) *wireError { return replyList(r, &r.from.catalog().list) }
