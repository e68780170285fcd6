package runtime

import (
	"errors"

	"github.com/mcptool-go/mcptool/internal/rawjson"
	"github.com/mcptool-go/mcptool/runtime/internal/wire"
	"github.com/mcptool-go/mcptool/task"
)

// lookUp finds the subject of the request: a tool, prompt, resource or task, or the custom method itself.
func (r *request) lookUp() *wireError {
	if m := r.method; m.own != nil {
		r.target = m.own
		return r.requireExtension(m.extension) // extensions.go
	}
	switch r.method.subject.kind {
	case toolSubject:
		return r.lookUpTool()
	case promptSubject:
		return r.lookUpPrompt()
	case resourceSubject:
		return r.lookUpResource()
	case referenceSubject:
		return r.lookUpReference()
	case taskSubject:
		return r.lookUpTask()
	default:
	}
	if r.method.lists {
		return r.lookUpListers()
	}
	return nil
}

// lookUpTool finds the tool in the request.
func (r *request) lookUpTool() *wireError {
	name := r.params.Name
	if param := r.method.subject.param; param != "name" { // the name is already parsed
		name = wire.Member(r.params.Raw, param)
	}
	if rawjson.KindOf(name) != rawjson.String {
		return invalidParams("params." + r.method.subject.param + " must be a string")
	}
	if r.method.calls {
		if kind := rawjson.KindOf(r.params.Arguments); kind != rawjson.Invalid && kind != rawjson.Object {
			return invalidParams("params.arguments must be an object")
		}
	}
	tool := rawjson.Unquote(name)
	if r.target = r.from.find(tool); r.target == nil {
		return r.unknownTool(string(tool))
	}
	return nil
}

// lookUpTask finds the task in the request.
func (r *request) lookUpTask() *wireError {
	if r.version.Has(wire.PerRequest) && !r.knowsTasks() {
		return r.noExtension()
	}
	id := wire.TextOf(wire.Member(r.params.Raw, r.method.subject.param))
	if id == "" {
		return invalidParams("params." + r.method.subject.param + " must be a string")
	}
	var err error
	r.store.record, err = r.from.tasks.store.Get(r.store, id)
	switch {
	case errors.Is(err, task.ErrNotFound):
		return errNoSuchTask
	case err != nil:
		return r.taskTrouble(err)
	}
	r.task = &r.store.record
	return nil
}

// find returns the tool with this name; nil if there is none.
func (c *core) find(name []byte) *toolState {
	cat := c.catalog()
	if last := cat.last.Load(); last != nil && last.tool.Name() == string(name) {
		return last
	}
	tool, ok := c.tools.Lookup(string(name))
	if !ok {
		return nil
	}
	found := cat.state(tool)
	cat.last.Store(found)
	return found
}
