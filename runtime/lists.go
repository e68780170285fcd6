package runtime

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/contain"
	"github.com/mcptool-go/mcptool/internal/mcpheader"
	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/private"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/internal/suggest"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// lists are the lists of the registry that a server offers. It caches the catalog of tools until they change.
type lists struct {
	core        *core
	omitOutputs bool // output schemas are not listed, except for tools that set OmitOutputSchema to false
	states      states
	current     atomic.Pointer[catalog]

	prompts   promptLists
	resources resourceLists
}

// catalog is the tools at one time, with their rendered lists. It is safe for concurrent use.
type catalog struct {
	list
	generation uint64
	tools      []*mcptool.Tool // sorted by name
	tasks      bool            // at least one of them can run as a task
	attached   []string        // ids of the extensions with attachments on them, sorted
	omits      bool            // see omitOutputs of lists
	states     *states
	row        *method // of tools/call
	redirects  map[string]redirect
	byName     map[string]*mcptool.Tool
}

// state returns the state of the tool.
func (cat *catalog) state(t *mcptool.Tool) *toolState {
	if kept := cat.states.load(t); kept != nil {
		return kept
	}
	s := &toolState{row: cat.row, kind: toolSubject, render: appendToolResult, redirect: cat.redirects[internals.Settings(t).Name]}
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
	generation := internals.Generations(l.core.tools)[notify.Tools]
	if cat := l.current.Load(); cat != nil && cat.generation == generation {
		return cat
	}
	cat := &catalog{generation: generation, tools: slices.Collect(l.core.tools.Tools()), omits: l.omitOutputs, states: &l.states, row: l.core.methods[methodToolsCall], redirects: l.core.extensions.redirects}
	cat.byName = make(map[string]*mcptool.Tool, len(cat.tools))
	cat.init(toolSubject, "tools", cat.tools, cat.appendEntry)
	for _, unlisted := range l.core.extensions.unlisted {
		for i, t := range cat.tools {
			cat.unlisted[i] = cat.unlisted[i] || unlisted(t)
		}
	}
	for _, t := range cat.tools {
		settings := internals.Settings(t)
		cat.byName[settings.Name] = t
		if !l.core.selecting.selects(nil, t) {
			continue
		}
		cat.tasks = cat.tasks || settings.Task != private.TaskForbidden
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
	l.states.keep(cat.tools)
	l.current.Store(cat)
	return cat
}

// unknownItem refuses a name that is not in a list, or is hidden from the caller, and suggests similar names. It does not
// suggest hidden names, even if one was requested.
func unknownItem(r *request, name string, l *list) *wireError {
	const most = 3
	names := make([]string, 0, len(l.runners))
	seen := newView(r, l)
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

// absent refuses a request as if its tool did not exist.
func (l *lists) absent(r *request) *wireError {
	return unknownItem(r, r.target.name(), &l.catalog().list)
}

// findTool finds the tool in a request. It also refuses a call whose headers do not match the arguments that they repeat.
func (l *lists) findTool(r *request) *wireError {
	name, err := nameInParams(r)
	if err != nil {
		return err
	}
	if r.target = l.find(name); r.target == nil {
		return unknownItem(r, string(name), &l.catalog().list)
	}
	if err := r.authorize(l.absent); err != nil {
		return err
	}
	if r.target.redirect != nil {
		return l.redirect(r)
	}
	if r.header != nil && len(r.target.headers) > 0 {
		if err := mcpheader.CheckParams(r.header, r.target.headers, r.params.Arguments); err != nil {
			return headerMismatch(err)
		}
	}
	return nil
}

// redirect changes the target of the request to the tool to which its target is redirected, if the caller has it: see
// [Extension.Redirects].
func (l *lists) redirect(r *request) *wireError {
	name, args, ok, err := l.redirected(r)
	if err != nil || !ok {
		return err
	}
	to := l.find([]byte(name))
	if to == nil || to.redirect != nil {
		return nil
	}
	via, isAbsent := r.target, false
	r.target = to
	err = r.authorize(func(r *request) *wireError {
		isAbsent = true
		return l.absent(r)
	})
	if isAbsent {
		if r.target = via; err.unselected {
			r.via, r.unselected = to, true // for observers
		}
		return nil
	}
	r.via, r.params.Arguments = via, args
	return err
}

// redirected calls the func of the redirect, with the arguments as the tool accepts them. A panic counts as false.
func (l *lists) redirected(r *request) (name string, args json.RawMessage, ok bool, _ *wireError) {
	given := r.params.Arguments
	leave, err := r.from.enterSlot(r.access, len(given))
	if err != nil {
		return "", nil, false, err
	}
	defer leave()
	defer contain.Panic(r.from.ctx, r.from.log, "redirect of a call panicked")
	name, args, ok = r.target.redirect(internals.Accepted(r.from.ctx, r.target.tool, given, l.core.coerce))
	return name, args, ok, nil
}

// find returns the tool with this name; nil if there is none.
func (l *lists) find(name []byte) *toolState {
	cat := l.catalog()
	t := cat.byName[string(name)]
	if t == nil {
		return nil
	}
	return cat.state(t)
}

// nameInParams returns the name of the tool or prompt in a request.
func nameInParams(r *request) ([]byte, *wireError) {
	if rawjson.KindOf(r.params.Name) != rawjson.String {
		return nil, invalidParams("params.name must be a string")
	}
	if kind := rawjson.KindOf(r.params.Arguments); kind != rawjson.Invalid && kind != rawjson.Object {
		return nil, invalidParams("params.arguments must be an object")
	}
	return rawjson.Unquote(r.params.Name), nil
}

// listTools answers tools/list.
func (l *lists) listTools(r *request) *wireError { return replyList(r, &l.catalog().list) }

// offersTasks reports whether the server offers tasks to clients of revision v: if it has tools that can run as tasks, or a
// store, in which there may be earlier tasks.
func (l *lists) offersTasks(v wire.Version) bool {
	return (v.Has(wire.CoreTasks) || v.Has(wire.PerRequest)) && l.core.tasks != nil && (l.core.tasks.IsGiven() || l.catalog().tasks)
}
