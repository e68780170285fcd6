package runtime

import (
	"slices"
	"sync/atomic"

	"github.com/mcptool-go/mcptool/internal/notify"
	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/mcptool"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
)

// promptCatalog is the prompts at one time, with their rendered lists. It is safe for concurrent use.
type promptCatalog struct {
	list
	*states
	generation  uint64
	prompts     []*mcptool.Prompt // by name
	completions bool              // some arguments can be completed
}

// promptLists are the prompts that a server offers. It caches their catalog until they change.
type promptLists struct {
	core    *core
	states  states
	current atomic.Pointer[promptCatalog]
}

// isOffered reports whether the server offers prompts.
func (l *promptLists) isOffered(wire.Version) bool { return l.core.notices.Offered()[notify.Prompts] }

// catalog returns the catalog of the current prompts.
func (l *promptLists) catalog() *promptCatalog {
	generation := internals.Generations(l.core.tools)[notify.Prompts] // first, as in catalog of lists
	if cat := l.current.Load(); cat != nil && cat.generation == generation {
		return cat
	}
	cat := &promptCatalog{generation: generation, prompts: slices.Collect(l.core.tools.Prompts()), states: &l.states}
	var runners, all []*mcptool.Tool
	for _, p := range cat.prompts {
		runner := internals.Runner(p)
		runners, all = append(runners, runner), append(all, runner)
		if completer := internals.Settings(runner).Completer; completer != nil {
			all, cat.completions = append(all, completer), cat.completions || l.core.selecting.selects(nil, runner)
		}
	}
	cat.init(promptSubject, "prompts", runners, func(dst []byte, i int, f form) []byte {
		return wire.AppendPrompt(dst, cat.prompts[i], f.version)
	})
	cat.keep(all)
	l.current.Store(cat)
	return cat
}

// list answers prompts/list.
func (l *promptLists) list(r *request) *wireError { return replyList(r, &l.catalog().list) }

// absent refuses a request as if its prompt did not exist.
func (l *promptLists) absent(r *request) *wireError {
	return unknownItem(r, r.target.name(), &l.catalog().list)
}

// find finds the prompt in a request.
func (l *promptLists) find(r *request) *wireError {
	name, err := nameInParams(r)
	if err != nil {
		return err
	}
	cat := l.catalog()
	p, ok := l.core.tools.LookupPrompt(string(name))
	if !ok {
		return unknownItem(r, string(name), &cat.list)
	}
	r.target = cat.state(internals.Runner(p), r.method, appendPrompt)
	return r.authorize(l.absent)
}

// appendPrompt runs the prompt of the call and appends its result, in the form of its revision.
func appendPrompt(c *call, dst []byte) ([]byte, error) {
	defer leaveResponse(c)
	begin := len(dst)
	dst, rest, err := invoke(c, dst)
	if err != nil {
		return dst[:begin], err
	}
	result := internals.Rendered(rest).Prompt
	dst = c.from.redactor.AppendOptional(append(dst, '{'), "description", result.Description)
	dst = append(rawjson.AppendName(dst, "messages"), '[')
	for i, m := range result.Messages {
		if err := makeRoom(c, len(dst)-begin+blockSize(m.Content)); err != nil {
			return dst[:begin], err
		}
		dst = wire.AppendMessage(dst, m, c.version, c.from.redactor, i)
	}
	dst = c.from.serverInfo.AppendTail(append(dst, ']'), wire.Complete, c.version, rawjson.AppendRawMembers(nil, result.Meta))
	return checkSize(c, dst, begin)
}
