package runtime

import (
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// resourceCatalog is the resources at one time, with their rendered lists. It is safe for concurrent use.
type resourceCatalog struct {
	*states
	generation  uint64
	fixed       resourceList // resources without variables
	templates   resourceList
	listers     []lister // in the order of their templates
	listPace    *pace    // of requests that run listers
	completions bool     // some variables can be completed
	authorizes  bool     // some have a func of MayRead
}

// resourceList is one of the lists of a [resourceCatalog].
type resourceList struct {
	list
	resources []*mcptool.Resource // by URI
}

func (l *resourceList) init(member string) {
	l.list.init(resourceSubject, member, l.runners, func(dst []byte, i int, f form) []byte {
		return wire.AppendResource(dst, l.resources[i], f.version)
	})
}

// resourceLists are the resources that a server offers. It caches their catalog until they change.
type resourceLists struct {
	core    *core
	states  states
	current atomic.Pointer[resourceCatalog]
}

// isOffered reports whether the server offers resources.
func (l *resourceLists) isOffered(wire.Version) bool {
	return l.core.notices.Offered()[notify.Resources]
}

// authorize reports whether some resources have a func of [mcptool.MayRead].
func (l *resourceLists) authorize() bool { return l.catalog().authorizes }

// catalog returns the catalog of the current resources.
func (l *resourceLists) catalog() *resourceCatalog {
	generation := internals.Generations(l.core.tools)[notify.Resources] // first, as in catalog of lists
	if cat := l.current.Load(); cat != nil && cat.generation == generation {
		return cat
	}
	cat := &resourceCatalog{generation: generation, states: &l.states, listPace: new(pace)}
	var all []*mcptool.Tool
	for r := range l.core.tools.Resources() {
		part := &cat.fixed
		if internals.IsTemplate(r) {
			part = &cat.templates
		}
		runner := internals.Runner(r)
		part.resources, part.runners = append(part.resources, r), append(part.runners, runner)
		all = append(all, runner)
		cat.authorizes = cat.authorizes || internals.Settings(runner).Authorizer != nil
		if tool := internals.Settings(runner).Lister; tool != nil && internals.IsTemplate(r) {
			cat.listers = append(cat.listers, lister{index: len(part.runners) - 1, tool: tool})
			all = append(all, tool)
		}
		if completer := internals.Settings(runner).Completer; completer != nil {
			all, cat.completions = append(all, completer), cat.completions || l.core.selecting.selects(nil, runner)
		}
	}
	cat.fixed.init("resources")
	cat.templates.init("resourceTemplates")
	if len(cat.listers) > 0 { // listers may list other resources for each caller
		cat.fixed.private = true
	}
	cat.keep(all)
	l.current.Store(cat)
	return cat
}

// list answers resources/list if the caller may see no listers: see findListers.
func (l *resourceLists) list(r *request) *wireError { return replyList(r, &l.catalog().fixed.list) }

// listTemplates answers resources/templates/list.
func (l *resourceLists) listTemplates(r *request) *wireError {
	return replyList(r, &l.catalog().templates.list)
}

// absent refuses a request as if its resource, or the template that it names, did not exist.
func (l *resourceLists) absent(r *request) *wireError {
	if r.uri != nil {
		return resourceNotFound(r.uri.raw, r.version)
	}
	return unknownTemplate(r.target.name())
}

// find finds the resource in a request.
func (l *resourceLists) find(r *request) *wireError {
	if rawjson.KindOf(r.params.URI) != rawjson.String {
		return invalidParams("params.uri must be a string")
	}
	uri := &readURI{raw: r.params.URI}
	found, normal, args, ok := internals.FindResource(l.core.tools, string(rawjson.Unquote(uri.raw)), uri.room[:0])
	if !ok {
		return resourceNotFound(uri.raw, r.version)
	}
	uri.normal, uri.variables = normal, args
	uri.extras.uri, r.uri = uri, uri
	r.target = l.catalog().read(found, l.core.methods[methodResourcesRead])
	return r.authorize(l.absent)
}

// read returns the state for reading a resource.
func (cat *resourceCatalog) read(found *mcptool.Resource, row *method) *toolState {
	runner := internals.Runner(found)
	if kept := cat.load(runner); kept != nil {
		return kept
	}
	mimeType := rawjson.AppendString(nil, found.Link().MIMEType)
	return cat.state(runner, row, func(c *call, dst []byte) ([]byte, error) { return appendContents(c, dst, found, mimeType) })
}

// appendContents reads a resource and appends the result of the call, in the form of its revision. Clients may cache it
// only privately, and must revalidate it before each use. The MIME type is the MIME type of the resource, as JSON.
func appendContents(c *call, dst []byte, read *mcptool.Resource, mimeType []byte) ([]byte, error) {
	defer leaveResponse(c)
	buf := wire.GetBuffer()
	defer wire.PutBuffer(buf)
	value, rest, err := invoke(c, *buf)
	if err != nil {
		return dst, err
	}
	*buf = value
	redacts := c.from.redactor != nil && !internals.Settings(c.target.tool).Verbatim
	if len(value) > 0 && !redacts {
		return appendJSONContents(c, dst, mimeType, value)
	}
	begin := len(dst)
	contents := internals.ResourceContents(read, wire.TextOf(c.given()), value, rest)
	dst = append(rawjson.AppendName(append(dst, '{'), "contents"), '[')
	for i := range contents {
		part := &contents[i]
		if redacts {
			part.Text = c.from.redactor.Redact(part.Text)
		}
		if err := makeRoom(c, len(dst)-begin+contentsSize(part)); err != nil { // before allocating memory for it
			return dst[:begin], err
		}
		dst = wire.AppendContents(dst, part, c.version)
	}
	return endContents(c, dst, begin)
}

// appendJSONContents appends the result of a call whose contents are one JSON value. It is as fast as for the result of
// a tool.
func appendJSONContents(c *call, dst, mimeType, value []byte) ([]byte, error) {
	begin := len(dst)
	if err := makeRoom(c, len(value)); err != nil {
		return dst, err
	}
	dst = append(rawjson.AppendName(append(dst, '{'), "contents"), '[')
	return endContents(c, wire.AppendJSONContents(dst, c.given(), mimeType, value), begin)
}

// endContents ends a list of contents, in a result that begins at begin.
func endContents(c *call, dst []byte, begin int) ([]byte, error) {
	dst = CacheHint{}.append(append(dst, ']'), c.version)
	return checkSize(c, c.from.serverInfo.AppendTail(dst, wire.Complete, c.version, nil), begin)
}
